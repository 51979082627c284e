// Runs one call of a kernel on the host, for the tests:
//
//	host KERNEL N FLAGS OUTPUT COLUMN…
//
// The prepared kernels have a file of keys behind the table of G, of which the program makes
// tables of width FLAGS / 256.
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

static u8 *column(const char *name, long *size)
{
	if (strcmp(name, "-") == 0) return NULL;
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END)) fail(name);
	*size = ftell(f);
	rewind(f);
	u8 *data = malloc(*size);
	if (fread(data, 1, *size, f) != (size_t)*size) fail(name);
	fclose(f);
	return data;
}

// The call.
static u32 n, flags;
static u8 *c[5], *verdicts, *out;
static long sizes[5];

// The tables of the keys.
static u32 *tables, width, keys;

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

static void prepare(void)
{
	width = flags >> 8, flags &= 255, keys = sizes[4] / 64;
	tables = malloc((size_t)4 * comb_words_of(width) * keys);
	for (u32 row = 0; row < (keys + 127) / 128 * 128; row++)
		k_keys(row, keys, width, c[4], tables);
	for (u32 step = 0; step < width - 1; step++) {
		// The last window may have no point for this step.
		u32 last = 255 / width, bits = 256 - width * last;
		u32 items = step < COMB_CHAIN ? 1 : (u32)1 << (step - COMB_CHAIN);
		u32 each = (last + (bits > step + 1)) * items;
		for (u32 row = 0; row < (each * keys + 127) / 128 * 128; row++)
			k_keys_comb(row, each * keys, step, each, tables);
	}
}

static void prepared_ecdsa(u32 row)
{
	k_prepared_ecdsa(row, n, flags, c[0], c[1], c[2], verdicts, (u32 *)c[3], tables, keys);
}

static void prepared_schnorr(u32 row)
{
	k_prepared_schnorr(row, n, flags, c[0], c[1], c[2], verdicts, (u32 *)c[3], tables, keys);
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
	{"k_prepared_ecdsa", prepared_ecdsa, 0},
	{"k_prepared_schnorr", prepared_schnorr, 0},
};

int main(int argc, char **argv)
{
	if (argc < 5 || argc > 10) return 2;
	int k = 0;
	while (strcmp(argv[1], kernels[k].name))
		if (++k == sizeof kernels / sizeof *kernels) return 2;
	n = strtoul(argv[2], NULL, 10), flags = strtoul(argv[3], NULL, 10);
	for (int i = 5; i < argc; i++) c[i - 5] = column(argv[i], &sizes[i - 5]);
	size_t size = flags & ADDRESS ? ADDRESS_SIZE : KEY_SIZE; // of a result
	verdicts = malloc(n), out = malloc(size * n);
	memset(verdicts, 0xa5, n);
	memset(out, 0xa5, size * n);
	if (strncmp(argv[1], "k_prepared", 10) == 0) prepare();
	run_groups(kernels[k].run, n);
	FILE *f = fopen(argv[4], "wb");
	if (!f || fwrite(verdicts, 1, n, f) != n) fail(argv[4]);
	if (kernels[k].results && fwrite(out, size, n, f) != n) fail(argv[4]);
	if (fclose(f)) fail(argv[4]);
	for (int i = 0; i < 5; i++) free(c[i]);
	free(tables);
	free(verdicts);
	free(out);
	return 0;
}
