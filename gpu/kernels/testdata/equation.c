// Runs launches of a kernel of equation.h on the host, for the tests:
//
//	equation KERNEL N FLAGS PART MARK SUMS OUTPUT SEED COLUMN…
//
// SEED and a COLUMN are files, of whose bytes the kernel gets a copy of exactly that length, so
// that the sanitizer sees what is read behind it. OUTPUT gets the points and halves of terms, the
// records, and as many SUMS of these. There is a launch for each PART rows.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sums.cl"

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

static u8 *column(const char *name)
{
	FILE *f = fopen(name, "rb");
	if (!f || fseek(f, 0, SEEK_END)) fail(name);
	long size = ftell(f);
	rewind(f);
	u8 *data = malloc(size);
	if (fread(data, 1, size, f) != (size_t)size) fail(name);
	fclose(f);
	return data;
}

// words returns memory of count words, which hold anything.
static u32 *words(size_t count)
{
	u32 *w = malloc(4 * count);
	memset(w, 0xa5, 4 * count);
	return w;
}

int main(int argc, char **argv)
{
	if (argc < 12 || argc > 13) return 2;
	u32 n = strtoul(argv[2], NULL, 10), flags = strtoul(argv[3], NULL, 10);
	u32 part = strtoul(argv[4], NULL, 10);
	u32 mark = strtoul(argv[5], NULL, 10), sums = strtoul(argv[6], NULL, 10);
	u8 *c[5] = {NULL};
	for (int i = 8; i < argc; i++) c[i - 8] = column(argv[i]);
	struct {
		u32 *data;
		size_t size;
	} out[4] = {{0, 2 * TERM_POINT * (size_t)n}, {0, 4 * TERM_HALF * (size_t)n},
		{0, EQUATION_WORDS * (size_t)n}, {0, EQUATION_WORDS * (size_t)sums}};
	for (int i = 0; i < 4; i++) out[i].data = words(out[i].size);
	u32 *points = out[0].data, *halves = out[1].data, *records = out[2].data;
	u32 schnorr = strcmp(argv[1], "k_equation_schnorr") == 0;
	const size_t widths[2][4] = {{32, 33, 64, 1}, {32, 32, 64, 0}};
	for (u32 first = 0; first < n; first += part) {
		u32 m = n - first < part ? n - first : part;
		u8 *d[4];
		for (int i = 0; i < 4; i++) {
			size_t width = widths[schnorr][i];
			d[i] = malloc(width * m + !width);
			if (width) memcpy(d[i], c[i + 1] + width * first, width * m);
		}
		for (u32 row = 0; row < (m + 127) / 128 * 128; row++) {
			if (schnorr) {
				k_equation_schnorr(row, m, flags, first, n, mark, c[0], d[0], d[1], d[2], points,
					halves, records);
			} else {
				k_equation_ecdsa(row, m, flags, first, n, mark, c[0], d[0], d[1], d[2], d[3], points,
					halves, records);
			}
		}
		for (int i = 0; i < 4; i++) free(d[i]);
	}
	for (u32 row = 0; row < (sums + 127) / 128 * 128; row++) {
		k_equation_add(row, sums, n, records, out[3].data);
	}
	FILE *f = fopen(argv[7], "wb");
	for (int i = 0; f && i < 4; i++) {
		if (fwrite(out[i].data, 4, out[i].size, f) != out[i].size) fail(argv[7]);
		free(out[i].data);
	}
	if (!f || fclose(f)) fail(argv[7]);
	for (int i = 0; i < 5; i++) free(c[i]);
	return 0;
}
