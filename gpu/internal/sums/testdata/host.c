// Runs the kernels of sums.cl on the host, for the tests. It reads commands, numbers of eight bytes
// each, the least significant byte first:
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

#include "sums.cl"

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

static void run(const char *kernel, u32 row, u32 n)
{
#define IS(name) (strcmp(kernel, name) == 0)
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
	else exit(3);
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
	if (strcmp(kernel, "k_sum_add") == 0 || strcmp(kernel, "k_sum_join") == 0
		|| strcmp(kernel, "k_sum_reduce") == 0 || strcmp(kernel, "k_sum_fold") == 0) {
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
