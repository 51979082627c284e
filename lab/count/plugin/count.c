// A plugin of qemu-user that counts the instructions which one thread executes between two
// functions of the program, each time from the first one's entry to the second one's:
//
//	qemu-aarch64 -plugin file=plugin.so,begin=ADDRESS,end=ADDRESS PROGRAM
//
// It prints one number a line. With blocks=1 there follow, for each block of instructions that
// it has executed, a line with "block", its address, how many instructions it has, and how
// often it was executed. With trace=1 there follows a line with "trace", a hash of the blocks in
// the order in which they were executed, and one of the addresses that were read and written. The
// declarations are those of version 1 of the interface (docs/devel/tcg-plugins.rst in QEMU's
// sources), which Debian has no header for.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
typedef void (*tb_callback)(unsigned int vcpu, void *data);
typedef void (*memory_callback)(unsigned int vcpu, uint32_t info, uint64_t address, void *data);

extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, tb_callback executed,
	int flags, void *data);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
	size_t index);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	memory_callback accessed, int flags, int reads_and_writes, void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t begin, end, print_blocks, print_trace;

// A block is instructions that are executed one after the other. Blocks are never freed: qemu
// may execute one that it has translated again elsewhere.
struct block {
	struct block *next;
	uint64_t at, n, times;
};

static struct block *blocks;

// Of the thread that is between the two functions; no other counts.
static int counting;
static unsigned int thread;

// Hashes of what was executed and of the addresses that were accessed.
static uint64_t path, addresses;

static void mix(uint64_t *hash, uint64_t x) {
	*hash = (*hash ^ x) * 0x9e3779b97f4a7c15;
	*hash ^= *hash >> 29;
}

static void executed(unsigned int vcpu, void *data) {
	struct block *b = data;

	if (!counting || vcpu != thread)
		return;
	b->times++;
	mix(&path, b->at);
	mix(&path, b->n);
}

static void accessed(unsigned int vcpu, uint32_t info, uint64_t address, void *data) {
	(void)info;
	(void)data;
	if (counting && vcpu == thread)
		mix(&addresses, address);
}

static void started(unsigned int vcpu, void *data) {
	(void)data;
	counting = 1;
	thread = vcpu;
	path = addresses = 0;
	for (struct block *b = blocks; b; b = b->next)
		b->times = 0;
}

static void ended(unsigned int vcpu, void *data) {
	uint64_t count = 0;

	(void)data;
	if (!counting || vcpu != thread)
		return;
	counting = 0;
	for (struct block *b = blocks; b; b = b->next)
		count += b->n * b->times;
	fprintf(stderr, "%" PRIu64 "\n", count);
	if (print_trace)
		fprintf(stderr, "trace %" PRIx64 " %" PRIx64 "\n", path, addresses);
	for (struct block *b = blocks; b && print_blocks; b = b->next)
		if (b->times)
			fprintf(stderr, "block %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", b->at, b->n, b->times);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
	struct block *b = calloc(1, sizeof *b);

	(void)id;
	if (!b)
		abort();
	b->at = qemu_plugin_tb_vaddr(tb);
	b->n = qemu_plugin_tb_n_insns(tb);
	b->next = blocks;
	blocks = b;
	qemu_plugin_register_vcpu_tb_exec_cb(tb,
		b->at == begin ? started : b->at == end ? ended : executed, 0, b);
	for (size_t k = 0; print_trace && k < b->n; k++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, k), accessed, 0, 3, NULL);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
	const void *info, int argc, char **argv) {
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "begin=", 6) == 0)
			begin = strtoull(argv[i] + 6, NULL, 0);
		if (strncmp(argv[i], "end=", 4) == 0)
			end = strtoull(argv[i] + 4, NULL, 0);
		if (strncmp(argv[i], "blocks=", 7) == 0)
			print_blocks = strtoull(argv[i] + 7, NULL, 0);
		if (strncmp(argv[i], "trace=", 6) == 0)
			print_trace = strtoull(argv[i] + 6, NULL, 0);
	}
	if (begin == 0 || end == 0)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
