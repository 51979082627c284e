/* Programs for the tests of the interpreter. generate_test.go has the command that makes
 * programs.ptx of them. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE static __attribute__((device))
#define APART __attribute__((noinline))
#define ITEM __nvvm_read_ptx_sreg_tid_x()
#define GROUP __nvvm_read_ptx_sreg_ctaid_x()
#define ITEMS __nvvm_read_ptx_sreg_ntid_x()
#define BARRIER __syncthreads()

/* sum adds up 128 numbers a group in shared memory. */
KERNEL sum(u32 *out, const u32 *in) {
	static __attribute__((shared)) u32 s[128];
	u32 t = ITEM;
	s[t] = in[GROUP * 128 + t];
	BARRIER;
	for (u32 d = 64; d != 0; d >>= 1) {
		if (t < d)
			s[t] += s[t + d];
		BARRIER;
	}
	if (t == 0)
		out[GROUP] = s[0];
}

/* count counts bytes by atomic operations, in shared memory first. */
KERNEL count(u32 *out, const u8 *in, u32 n) {
	static __attribute__((shared)) u32 s[256];
	for (u32 i = ITEM; i < 256; i += ITEMS)
		s[i] = 0;
	BARRIER;
	for (u32 i = GROUP * ITEMS + ITEM; i < n; i += 2 * ITEMS)
		__nvvm_atom_add_gen_i((int *)&s[in[i]], 1);
	BARRIER;
	for (u32 i = ITEM; i < 256; i += ITEMS)
		__nvvm_atom_add_gen_i((int *)&out[i], (int)s[i]);
}

/* add256 adds numbers of eight limbs, the least significant first, with a carry out. */
KERNEL add256(u32 n, const u32 *a, const u32 *b, u32 *out) {
	u32 i = GROUP * ITEMS + ITEM, d[9];
	if (i >= n)
		return;
	a += 8 * i;
	b += 8 * i;
	asm("{\n\t.reg .u32 zero;\n\tmov.u32 zero, 0;\n\t"
	    "add.cc.u32 %0, %9, %17;\n\taddc.cc.u32 %1, %10, %18;\n\t"
	    "addc.cc.u32 %2, %11, %19;\n\taddc.cc.u32 %3, %12, %20;\n\t"
	    "addc.cc.u32 %4, %13, %21;\n\taddc.cc.u32 %5, %14, %22;\n\t"
	    "addc.cc.u32 %6, %15, %23;\n\taddc.cc.u32 %7, %16, %24;\n\t"
	    "addc.u32 %8, zero, 0;\n\t}"
	    : "=&r"(d[0]), "=&r"(d[1]), "=&r"(d[2]), "=&r"(d[3]), "=&r"(d[4]), "=&r"(d[5]),
	      "=&r"(d[6]), "=&r"(d[7]), "=&r"(d[8])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]),
	      "r"(a[7]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]),
	      "r"(b[6]), "r"(b[7]));
	for (int j = 0; j < 9; j++)
		out[9 * i + j] = d[j];
}

/* reverse turns the words of a row around, through local memory and a call. */
DEVICE APART void swap(u64 *a, u32 i, u8 j) {
	u64 t = a[i];
	a[i] = a[j];
	a[j] = t;
}

DEVICE APART u64 mix(u64 a, u16 b, signed char c) { return a * b + (u64)(long long)c; }

__attribute__((constant)) u16 factors[8] = {3, 5, 7, 11, 13, 17, 19, 65535};
__attribute__((device)) u32 calls = 1;

KERNEL reverse(u32 n, const u64 *in, u64 *out, u32 half) {
	u32 i = GROUP * ITEMS + ITEM;
	if (i >= n)
		return;
	u64 a[8];
	for (u32 j = 0; j < 8; j++)
		a[j] = in[8 * i + j];
	for (u32 j = 0; j < half; j++) {
		swap(a, j, (u8)(7 - j));
		__nvvm_atom_add_gen_i((int *)&calls, 1);
	}
	for (u32 j = 0; j < 8; j++)
		out[8 * i + j] = mix(a[j], factors[(i + j) & 7], (signed char)(a[j] >> 8));
}
