// Runs one call of a kernel on the host, for the tests:
//
//	host KERNEL N FLAGS OUTPUT COLUMN…
//
// A COLUMN is a file, of whose bytes the kernel gets a copy of exactly that length, so that the
// sanitizer sees what is read behind it. "-" is no column. OUTPUT gets the verdicts and then the
// results. The last group is not full, and its rows from N on must be passed over.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.cl"

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static u8 *column(const char *name)
{
	if (strcmp(name, "-") == 0) return NULL;
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END)) fail(name);
	long size = ftell(f);
	rewind(f);
	u8 *data = malloc(size);
	if (fread(data, 1, size, f) != (size_t)size) fail(name);
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	if (argc < 5 || argc > 10) return 2;
	const char *kernel = argv[1];
	u32 n = strtoul(argv[2], NULL, 10), flags = strtoul(argv[3], NULL, 10);
	u8 *c[5] = {NULL};
	for (int i = 5; i < argc; i++) c[i - 5] = column(argv[i]);
	size_t size = flags & ADDRESS ? ADDRESS_SIZE : KEY_SIZE; // of a result
	u8 *verdicts = malloc(n), *out = malloc(size * n);
	memset(verdicts, 0xa5, n);
	memset(out, 0xa5, size * n);
	int results = 0;
	for (u32 row = 0; row < (n + 127) / 128 * 128; row++) {
		if (strcmp(kernel, "k_ecdsa") == 0) {
			k_ecdsa(row, n, flags, c[0], c[1], c[2], c[3], verdicts, (u32 *)c[4]);
		} else if (strcmp(kernel, "k_schnorr") == 0) {
			k_schnorr(row, n, flags, c[0], c[1], c[2], verdicts, (u32 *)c[3]);
		} else if (strcmp(kernel, "k_recover") == 0) {
			results = 1;
			k_recover(row, n, flags, c[0], c[1], verdicts, out, (u32 *)c[2]);
		} else if (strcmp(kernel, "k_decompress") == 0) {
			results = 1;
			k_decompress(row, n, c[0], verdicts, out);
		} else if (strcmp(kernel, "k_pubkeys") == 0) {
			results = 1;
			k_pubkeys(row, n, c[0], verdicts, out, (u32 *)c[1]);
		} else {
			return 2;
		}
	}
	FILE *f = fopen(argv[4], "wb");
	if (!f || fwrite(verdicts, 1, n, f) != n) fail(argv[4]);
	if (results && fwrite(out, size, n, f) != n) fail(argv[4]);
	if (fclose(f)) fail(argv[4]);
	for (int i = 0; i < 5; i++) free(c[i]);
	free(verdicts);
	free(out);
	return 0;
}
