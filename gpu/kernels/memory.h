// Memory of the device: additions to numbers that work items share, and reads and writes of
// several words at a time.

#ifndef KOBLITZ_MEMORY_H
#define KOBLITZ_MEMORY_H

#include "field.h"

// ATOMIC_ADD adds x to the word at p, in one step for all work items, and is what it was before.
// ATOMIC_OR likewise.
#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#define ATOMIC_ADD(p, x) atomic_add((volatile __global u32 *)(p), (u32)(x))
#define ATOMIC_OR(p, x) atomic_or((volatile __global u32 *)(p), (u32)(x))
typedef uint4 quad;
#elif defined(__CUDA__)
#define ATOMIC_ADD(p, x) __atomic_fetch_add((p), (u32)(x), __ATOMIC_RELAXED)
#define ATOMIC_OR(p, x) __atomic_fetch_or((p), (u32)(x), __ATOMIC_RELAXED)
typedef u32 quad __attribute__((ext_vector_type(4)));
#else
#define HOST_MEMORY
DEVICE u32 atomic_add(u32 *p, u32 x)
{
	u32 old = *p;
	*p = old + x;
	return old;
}
DEVICE u32 atomic_or(u32 *p, u32 x)
{
	u32 old = *p;
	*p = old | x;
	return old;
}
#define ATOMIC_ADD(p, x) atomic_add((p), (x))
#define ATOMIC_OR(p, x) atomic_or((p), (x))
#endif

// load4 sets four words r to those at p, which is a multiple of 16 bytes.
DEVICE void load4(u32 *r, GLOBAL const u32 *p)
{
#ifdef HOST_MEMORY
	for (int i = 0; i < 4; i++) r[i] = p[i];
#else
	quad q = *(GLOBAL const quad *)p;
	r[0] = q.x;
	r[1] = q.y;
	r[2] = q.z;
	r[3] = q.w;
#endif
}

// store4 writes four words r at p, which is a multiple of 16 bytes.
DEVICE void store4(GLOBAL u32 *p, const u32 *r)
{
#ifdef HOST_MEMORY
	for (int i = 0; i < 4; i++) p[i] = r[i];
#else
	quad q;
	q.x = r[0];
	q.y = r[1];
	q.z = r[2];
	q.w = r[3];
	*(GLOBAL quad *)p = q;
#endif
}

// load_be128 sets four limbs r, the least significant first, to the number that 16 bytes encode,
// the most significant first. b is a multiple of 16.
DEVICE void load_be128(u32 *r, GLOBAL const u8 *b)
{
#ifdef HOST_MEMORY
	for (int i = 0; i < 4; i++) r[i] = load_be32(b + 12 - 4 * i);
#else
	u32 w[4];
	load4(w, (GLOBAL const u32 *)b);
	UNROLL
	for (int i = 0; i < 4; i++) {
		u32 x = w[3 - i];
		r[i] = x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
	}
#endif
}

// fe_load sets r to the eight limbs at p, which is a multiple of 16 bytes.
DEVICE void fe_load(fe *r, GLOBAL const u32 *p)
{
	load4(r->v, p);
	load4(r->v + 4, p + 4);
}

// fe_store writes the limbs of a at p, which is a multiple of 16 bytes.
DEVICE void fe_store(GLOBAL u32 *p, const fe *a)
{
	store4(p, a->v);
	store4(p + 4, a->v + 4);
}

#endif
