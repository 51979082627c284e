// Runs the kernels of program.cl on the host, for the tests: those of sums, of equations and of
// benchmarks, and the one that makes the table of G, as far as they are there. It reads commands,
// numbers of eight bytes each, the least significant byte first:
//
//	ALLOC id size        memory of exactly that size, so that the sanitizer sees what is behind it
//	FREE id
//	WRITE id offset size and as many bytes
//	READ id offset size  which writes as many bytes
//	LAUNCH length        the name of a kernel, of that length, the number of work items, that of the
//	                     arguments, and these: numbers, or ids of memory
//
// A command is one byte. With BACKWARD work items run from the last to
// the first, and with APART those of some kernels do not see what others write: no kernel may
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

#ifdef KOBLITZ_BENCH_POINT_H
static int bench(const char *kernel, u32 row, u32 n)
{
	if (IS("k_bench_mul")) k_bench_mul(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_add")) k_bench_add(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_sub")) k_bench_sub(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_sqr")) k_bench_sqr(row, n, W(1), W(2));
	else if (IS("k_bench_inv")) k_bench_inv(row, n, W(1), W(2));
	else if (IS("k_bench_inv_batch")) k_bench_inv_batch(row, n, N(1), W(2), W(3));
	else if (IS("k_bench_mul_chain")) k_bench_mul_chain(row, n, N(1), W(2), W(3), W(4));
	else if (IS("k_bench_sqr_chain")) k_bench_sqr_chain(row, n, N(1), W(2), W(3));
	else if (IS("k_bench_add_chain")) k_bench_add_chain(row, n, N(1), W(2), W(3), W(4));
	else if (IS("k_bench_xyzz_add")) k_bench_xyzz_add(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_ge_add")) k_bench_ge_add(row, n, W(1), W(2), W(3), W(4));
	else if (IS("k_bench_gej_affine")) k_bench_gej_affine(row, n, W(1), W(2));
	else if (IS("k_bench_gej_add")) k_bench_gej_add(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_gej_double")) k_bench_gej_double(row, n, W(1), W(2));
	else if (IS("k_bench_xyzz_chain")) k_bench_xyzz_chain(row, n, N(1), W(2), W(3), W(4));
	else if (IS("k_bench_gej_chain")) k_bench_gej_chain(row, n, N(1), W(2), W(3));
	else if (IS("k_bench_mul_point")) k_bench_mul_point(row, n, W(1), W(2), W(3));
	else if (IS("k_bench_mul_base")) k_bench_mul_base(row, n, W(1), W(2), W(3));
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
#ifdef KOBLITZ_BENCH_POINT_H
	if (bench(kernel, row, n)) return;
#endif
#ifdef KOBLITZ_TABLE_H
	if (IS("k_comb")) {
		k_comb(row, n, N(1), W(2));
		return;
	}
#endif
	exit(3);
}

#ifdef APART
// apart runs each work item on memory as it was before the launch. It ends the program with
// status 4 if two of them change a byte: on a device, one of the changes might be lost.
static void apart(const char *kernel, u32 rows)
{
	static u8 *before[64], *after[64];
	for (int i = 0; i < 64; i++) {
		size_t size = memory[i].data ? memory[i].size : 0;
		before[i] = malloc(size + 1);
		after[i] = malloc(size + 1);
		if (size == 0) continue;
		memcpy(before[i], memory[i].data, size);
		memcpy(after[i], memory[i].data, size);
	}
	for (u32 row = 0; row < rows; row++) {
		run(kernel, row, N(0));
		for (int i = 0; i < 64; i++) {
			u8 *data = memory[i].data;
			if (!data || memcmp(data, before[i], memory[i].size) == 0) continue;
			for (size_t k = 0; k < memory[i].size; k++) {
				if (data[k] == before[i][k]) continue;
				if (after[i][k] != before[i][k]) exit(4);
				after[i][k] = data[k];
			}
			memcpy(data, before[i], memory[i].size);
		}
	}
	for (int i = 0; i < 64; i++) {
		if (memory[i].data) memcpy(memory[i].data, after[i], memory[i].size);
		free(before[i]);
		free(after[i]);
	}
}
#endif

static void launch(void)
{
	char kernel[32] = {0};
	u64 length = number();
	if (length >= sizeof kernel || fread(kernel, 1, length, stdin) != length) exit(2);
	u64 items = number(), count = number();
	if (count > 16) exit(2);
	for (u64 i = 0; i < count; i++) arg[i] = number();
	u32 rows = (u32)((items + 127) / 128 * 128);
#ifdef APART
	if (IS("k_sum_add") || IS("k_sum_join") || IS("k_sum_reduce") || IS("k_sum_fold")
		|| strncmp(kernel, "k_equation_", 11) == 0) {
		apart(kernel, rows);
		return;
	}
#endif
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
