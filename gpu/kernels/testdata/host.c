// Runs one call of a kernel on the host, for the tests:
//
//	host KERNEL N FLAGS OUTPUT COLUMN…
//
// A COLUMN is a file, of whose bytes the kernel gets a copy of exactly that length, so that the
// sanitizer sees what is read behind it. "-" is no column. OUTPUT gets the verdicts and then the
// results. The last group is not full, and its rows from N on must be passed over.
// Status 3 says that work items of a group do not come to the same barriers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.cl"

#include "group.h"

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

// The call.
static u32 n, flags;
static u8 *c[5], *verdicts, *out;

static void ecdsa(u32 row)
{
	k_ecdsa(row, n, flags, c[0], c[1], c[2], c[3], verdicts, (u32 *)c[4]);
}

static void schnorr(u32 row)
{
	k_schnorr(row, n, flags, c[0], c[1], c[2], verdicts, (u32 *)c[3]);
}

static void recover(u32 row)
{
	k_recover(row, n, flags, c[0], c[1], verdicts, out, (u32 *)c[2]);
}

static void decompress(u32 row)
{
	k_decompress(row, n, c[0], verdicts, out);
}

static void pubkeys(u32 row)
{
	k_pubkeys(row, n, c[0], verdicts, out, (u32 *)c[1]);
}

static const struct {
	const char *name;
	void (*run)(u32 row);
	int results;
} kernels[] = {
	{"k_ecdsa", ecdsa, 0},
	{"k_schnorr", schnorr, 0},
	{"k_recover", recover, 1},
	{"k_decompress", decompress, 1},
	{"k_pubkeys", pubkeys, 1},
};

int main(int argc, char **argv)
{
	if (argc < 5 || argc > 10) return 2;
	int k = 0;
	while (strcmp(argv[1], kernels[k].name))
		if (++k == sizeof kernels / sizeof *kernels) return 2;
	n = strtoul(argv[2], NULL, 10), flags = strtoul(argv[3], NULL, 10);
	for (int i = 5; i < argc; i++) c[i - 5] = column(argv[i]);
	verdicts = malloc(n), out = malloc((size_t)KEY_SIZE * n);
	memset(verdicts, 0xa5, n);
	memset(out, 0xa5, (size_t)KEY_SIZE * n);
	run_groups(kernels[k].run, n);
	FILE *f = fopen(argv[4], "wb");
	if (!f || fwrite(verdicts, 1, n, f) != n) fail(argv[4]);
	if (kernels[k].results && fwrite(out, KEY_SIZE, n, f) != n) fail(argv[4]);
	if (fclose(f)) fail(argv[4]);
	for (int i = 0; i < 5; i++) free(c[i]);
	free(verdicts);
	free(out);
	return 0;
}
