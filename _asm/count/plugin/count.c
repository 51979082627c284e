// A plugin of qemu-user that counts the instructions which one thread executes between two
// functions of the program, each time from the first one's entry to the second one's:
//
//	qemu-aarch64 -plugin file=plugin.so,begin=ADDRESS,end=ADDRESS PROGRAM
//
// It prints one number a line. The declarations are those of version 1 of the interface
// (docs/devel/tcg-plugins.rst in QEMU's sources), which Debian has no header for.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
typedef void (*tb_callback)(unsigned int vcpu, void *data);

extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*translated)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, tb_callback executed,
	int flags, void *data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t begin, end;

// Of the thread that is between the two functions; no other counts.
static int counting;
static unsigned int thread;
static uint64_t count;

static void executed(unsigned int vcpu, void *data) {
	if (counting && vcpu == thread)
		count += (uintptr_t)data;
}

static void started(unsigned int vcpu, void *data) {
	(void)data;
	counting = 1;
	thread = vcpu;
	count = 0;
}

static void ended(unsigned int vcpu, void *data) {
	(void)data;
	if (!counting || vcpu != thread)
		return;
	counting = 0;
	fprintf(stderr, "%" PRIu64 "\n", count);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
	(void)id;
	uint64_t at = qemu_plugin_tb_vaddr(tb);
	uintptr_t n = qemu_plugin_tb_n_insns(tb);
	qemu_plugin_register_vcpu_tb_exec_cb(tb,
		at == begin ? started : at == end ? ended : executed, 0, (void *)n);
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
