// Runs the kernels of program.cl on the host, for the tests: those of sums and of equations, and
// the one that makes the table of G, as far as they are there. It reads commands, numbers of eight
// bytes each, the least significant byte first:
//
//	ALLOC id size        memory of exactly that size, so that the sanitizer sees what is behind it
//	FREE id
//	WRITE id offset size and as many bytes
//	READ id offset size  which writes as many bytes
//	LAUNCH length        the name of a kernel, of that length, the number of work items, that of the
//	                     arguments, and these: numbers, or ids of memory
//
// A command is one byte. With BACKWARD work items run from the last to the first: no kernel may
// depend on their order.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.cl"

enum { ALLOC, FREE, WRITE, READ, LAUNCH };

static struct { u8 *data; size_t size; } memory[64];

static u64 number(void)
{
	u8 b[8];
	u64 x = 0;
	if (fread(b, 1, 8, stdin) != 8) exit(2);
	for (int i = 7; i >= 0; i--) x = x << 8 | b[i];
	return x;
}

static u64 arg[16];

#define N(i) ((u32)arg[i])
#define W(i) ((u32 *)memory[arg[i]].data)
#define B(i) (memory[arg[i]].data)

// barrier ends the program: kernels with barriers are run by gpu/kernels/testdata.
void barrier(int line)
{
	fprintf(stderr, "a barrier at line %d\n", line);
	exit(5);
}

#define IS(name) (strcmp(kernel, name) == 0)

#ifdef KOBLITZ_BUCKET_H
static int sum(const char *kernel, u32 row, u32 n)
{
	if (IS("k_sum_terms")) k_sum_terms(row, n, N(1), B(2), B(3), W(4), W(5), W(6));
	else if (IS("k_sum_clear")) k_sum_clear(row, n, W(1));
	else if (IS("k_sum_count")) k_sum_count(row, n, N(1), N(2), W(3), W(4));
	else if (IS("k_sum_place")) k_sum_place(row, n, N(1), W(2), W(3));
	else if (IS("k_sum_scatter")) k_sum_scatter(row, n, N(1), N(2), W(3), W(4), W(5));
	else if (IS("k_sum_add"))
		k_sum_add(row, n, N(1), N(2), N(3), W(4), W(5), W(6), W(7), W(8), W(9), W(10));
	else if (IS("k_sum_join")) k_sum_join(row, n, N(1), N(2), W(3), W(4), W(5), W(6), W(7));
	else if (IS("k_sum_reduce"))
		k_sum_reduce(row, n, N(1), N(2), N(3), N(4), W(5), W(6), W(7));
	else if (IS("k_sum_fold")) k_sum_fold(row, n, N(1), N(2), W(3), W(4));
	else return 0;
	return 1;
}
#endif

#ifdef KOBLITZ_EQUATION_H
static int equation(const char *kernel, u32 row, u32 n)
{
	if (IS("k_equation_schnorr"))
		k_equation_schnorr(row, n, N(1), N(2), N(3), N(4), B(5), B(6), B(7), B(8), W(9), W(10), W(11));
	else if (IS("k_equation_ecdsa"))
		k_equation_ecdsa(row, n, N(1), N(2), N(3), N(4), B(5), B(6), B(7), B(8), B(9), W(10), W(11),
			W(12));
	else if (IS("k_equation_add")) k_equation_add(row, n, N(1), W(2), W(3));
	else return 0;
	return 1;
}
#endif

static void run(const char *kernel, u32 row, u32 n)
{
#ifdef KOBLITZ_BUCKET_H
	if (sum(kernel, row, n)) return;
#endif
#ifdef KOBLITZ_EQUATION_H
	if (equation(kernel, row, n)) return;
#endif
#ifdef KOBLITZ_TABLE_H
	if (IS("k_comb")) {
		k_comb(row, n, N(1), W(2));
		return;
	}
#endif
	exit(3);
}

static void launch(void)
{
	char kernel[32] = {0};
	u64 length = number();
	if (length >= sizeof kernel || fread(kernel, 1, length, stdin) != length) exit(2);
	u64 items = number(), count = number();
	if (count > 16) exit(2);
	for (u64 i = 0; i < count; i++) arg[i] = number();
	u32 rows = (u32)((items + 127) / 128 * 128);
	for (u32 row = 0; row < rows; row++) {
#ifdef BACKWARD
		run(kernel, rows - 1 - row, N(0));
#else
		run(kernel, row, N(0));
#endif
	}
}

int main(void)
{
	for (int command; (command = getchar()) != EOF;) {
		if (command == LAUNCH) {
			launch();
			continue;
		}
		u64 id = number();
		if (id >= 64) return 2;
		u8 **data = &memory[id].data;
		if (command == ALLOC) {
			memory[id].size = number();
			*data = malloc(memory[id].size);
			memset(*data, 0xa5, memory[id].size);
		} else if (command == FREE) {
			free(*data);
			*data = NULL;
		} else if (command == WRITE) {
			u64 offset = number(), size = number();
			if (offset + size > memory[id].size) return 2;
			if (fread(*data + offset, 1, size, stdin) != size) return 2;
		} else if (command == READ) {
			u64 offset = number(), size = number();
			if (offset + size > memory[id].size) return 2;
			fwrite(*data + offset, 1, size, stdout);
			fflush(stdout);
		} else {
			return 2;
		}
	}
	return 0;
}
