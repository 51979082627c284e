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

DEVICE APART u64 mix(u64 a, u16 b, u8 c) { return a * b + (u64)(long long)(signed char)c; }

__attribute__((device)) u16 factors[8] = {3, 5, 7, 11, 13, 17, 19, 65535};
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
		out[8 * i + j] = mix(a[j], factors[(i + j) & 7], (u8)(a[j] >> 8));
}

/* ratios divides the cube of a group's product by each of its numbers, modulo 2^32, by a tree of
 * products: up to the root, which work item 0 alone squares, and down again. Node m + j, where
 * j < m, is the product of nodes 2m + j and 3m + j. */
KERNEL ratios(u32 *out, const u32 *in) {
	static __attribute__((shared)) u32 s[256];
	u32 t = ITEM;
	s[128 + t] = in[GROUP * 128 + t];
	for (u32 m = 64; m != 0; m >>= 1) {
		BARRIER;
		if (t < m)
			s[m + t] = s[2 * m + t] * s[3 * m + t];
	}
	if (t == 0)
		s[1] *= s[1];
	for (u32 m = 1; m != 128; m <<= 1) {
		if (t < m) {
			u32 up = s[m + t], a = s[2 * m + t];
			s[2 * m + t] = up * s[3 * m + t];
			s[3 * m + t] = up * a;
		}
		BARRIER;
	}
	out[GROUP * 128 + t] = s[128 + t];
}

/* buckets adds up the indices of equal bytes by lists in shared memory, which every work item puts
 * itself at the head of, finds the largest index by comparing and exchanging, and sets a bit for
 * each byte in memory that groups share. */
KERNEL buckets(u32 *out, const u8 *in, u32 *seen) {
	static __attribute__((shared)) u32 head[16], next[128], most;
	u32 t = ITEM, b = in[GROUP * 128 + t] & 15;
	if (t < 16)
		head[t] = ~0u;
	if (t == 0)
		most = 0;
	BARRIER;
	next[t] = __nvvm_atom_xchg_gen_i((int *)&head[b], (int)t);
	u32 old = 0;
	for (;;) {
		u32 now = (u32)__nvvm_atom_cas_gen_i((int *)&most, (int)old, (int)(old > t ? old : t));
		if (now == old)
			break;
		old = now;
	}
	asm volatile("{\n\t.reg .u32 t;\n\tatom.global.or.b32 t, [%0], %1;\n\t}" ::"l"(seen + b / 4),
	             "r"(1u << b) : "memory");
	BARRIER;
	if (t < 16) {
		u32 sum = 0;
		for (u32 i = head[t]; i != ~0u; i = next[i])
			sum += i + 1;
		out[GROUP * 17 + t] = sum;
	}
	if (t == 16)
		out[GROUP * 17 + 16] = most;
}
