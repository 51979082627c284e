// A plugin of qemu-user that counts the instructions which one thread executes between two
// functions of the program, each time from the first one's entry to the second one's:
//
//	qemu-aarch64 -plugin file=plugin.so,begin=ADDRESS,end=ADDRESS PROGRAM
//
// For each time it prints a line with the number of instructions, a hash of the blocks of
// instructions in the order in which they were executed, and a hash of the addresses that were
// read and written. The declarations are those of version 1 of the interface
// (docs/devel/tcg-plugins.rst in QEMU's sources), which Debian has no header for.
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

static uint64_t begin, end;

// A block is instructions that are executed one after the other. Blocks are never freed: qemu
// may execute one that it has translated again elsewhere.
struct block {
	uint64_t at, n;
};

// Only the thread that is between the two functions counts.
static int counting;
static unsigned int thread;

// The number of executed instructions, and hashes of the blocks and of the accessed addresses.
static uint64_t count, path, addresses;

static void mix(uint64_t *hash, uint64_t x) {
	*hash = (*hash ^ x) * 0x9e3779b97f4a7c15;
	*hash ^= *hash >> 29;
}

static void executed(unsigned int vcpu, void *data) {
	struct block *b = data;

	if (!counting || vcpu != thread)
		return;
	count += b->n;
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
	count = path = addresses = 0;
}

static void ended(unsigned int vcpu, void *data) {
	(void)data;
	if (!counting || vcpu != thread)
		return;
	counting = 0;
	fprintf(stderr, "%" PRIu64 " %" PRIx64 " %" PRIx64 "\n", count, path, addresses);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
	struct block *b = calloc(1, sizeof *b);

	(void)id;
	if (!b)
		abort();
	b->at = qemu_plugin_tb_vaddr(tb);
	b->n = qemu_plugin_tb_n_insns(tb);
	qemu_plugin_register_vcpu_tb_exec_cb(tb,
		b->at == begin ? started : b->at == end ? ended : executed, 0, b);
	for (size_t k = 0; k < b->n; k++)
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
	}
	if (begin == 0 || end == 0)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
