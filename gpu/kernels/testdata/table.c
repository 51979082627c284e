// Makes the points of a table of the comb on the host, for the tests:
//
//	table FILE N…
//
// FILE holds the table as it is before the first step, and after the last one. Step by step, N
// work items of k_comb are carried out. Its bytes are copied to memory of exactly that length, so
// that the sanitizer sees what is read and written behind it.

#include <stdio.h>
#include <stdlib.h>

#include "table.h"

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "rb+") : NULL;
	if (!f || fseek(f, 0, SEEK_END)) return 2;
	long size = ftell(f);
	u32 *table = malloc(size);
	rewind(f);
	if (!table || fread(table, 1, size, f) != (size_t)size) return 2;
	for (int step = 0; step + 2 < argc; step++) {
		u32 n = strtoul(argv[step + 2], NULL, 10);
		for (u32 row = 0; row < (n + 127) / 128 * 128; row++) k_comb(row, n, step, table);
	}
	rewind(f);
	if (fwrite(table, 1, size, f) != (size_t)size || fclose(f)) return 2;
	free(table);
	return 0;
}
