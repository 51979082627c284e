// What differs between the compilers of this folder's programs: CUDA by clang (PTX), OpenCL
// C 1.2 by a driver, and C11 by gcc, which is how the tests run them on the host.
//
// The subset that all three understand: functions are DEVICE or KERNEL, pointers point into
// private memory unless they say GLOBAL, numbers have 8, 32 or 64 bits, and nothing divides
// by 64-bit numbers, recurses, or knows floating point or bool. Loops over limbs say UNROLL,
// all others ROLLED.
//
// No secret ever comes here. Branches and addresses depend on the data as they like.

#ifndef KOBLITZ_VENDOR_H
#define KOBLITZ_VENDOR_H

// A kernel is
//
//	KERNEL void k_name(ROW_PARAMETER u32 n, GLOBAL const u8 *column, …)
//	{
//		u32 row = ROW;
//
// with one work item a row, in groups of GROUP. ITEM is the work item's number in its group. A
// kernel that computes much between two uses of ROW says ROW both times: CUDA reads it again from
// where the device has it, and no register holds it in between.
//
// The work items of a group have memory in common: an array that a kernel declares at its begin
// with GROUP_MEMORY, to which pointers are SHARED. What one has written there, others may read
// after a BARRIER. All work items of a group must come to the same ones: a kernel with barriers
// does not return before the last, whatever its row holds, and if there is no row as well.
//
// In C11 the row is an argument. The caller gives each work item a thread, and defines barrier,
// which is told where it was called.
#define GROUP 128

// Registers are short. KEPT is said of a variable that is to be read again from memory each time:
// while products are computed, it would be written to memory and read again anyway.
//
// An OUTLINE function stands once in a program and is called, with as few registers as its callers
// leave it. Its pointers to private memory say PRIVATE, because it is not told what it is called
// with: for an address of any memory CUDA would take two registers, here and for the variable in
// the caller, and read slower. Callers have a DEVICE function of the name without _call, whose
// pointers are plain. The sums of points in complete.h have plain pointers nevertheless: with
// PRIVATE ones ptxas reads ahead, and is short of registers by that.
//
// The order of independent multiplications in the additions of points decides whether ptxas finds
// registers for all that it computes side by side: koblitz-gpubench -compile says at once if it
// does not.
#define KEPT volatile

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
typedef uchar u8;
typedef uint u32;
typedef ulong u64;
typedef int i32;
typedef long i64;
#define GLOBAL __global
#define SHARED __local
#define GROUP_MEMORY __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define DEVICE static inline
#define OUTLINE static __attribute__((noinline))
#define PRIVATE
#define KERNEL __kernel __attribute__((reqd_work_group_size(128, 1, 1)))
#define ROW_PARAMETER
#define ROW ((u32)get_global_id(0))
#define ITEM ((u32)get_local_id(0))
#define CLZ(x) clz(x)
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")

#elif defined(__CUDA__)
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
#define GLOBAL __attribute__((address_space(1)))
#define SHARED
#define GROUP_MEMORY static __attribute__((shared))
#define BARRIER __syncthreads()
#define DEVICE static inline __attribute__((device, always_inline))
#define OUTLINE static __attribute__((device, noinline))
#define PRIVATE __attribute__((address_space(5)))
// Four groups on a multiprocessor: 128 registers for each work item.
#define KERNEL extern "C" __attribute__((global, launch_bounds(128, 4)))
#define ROW_PARAMETER
#define ROW row_number()
#define ITEM ((u32)__nvvm_read_ptx_sreg_tid_x())
#define CLZ(x) __builtin_clz(x)
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
// ptx.h takes the place of what field.h says in C.
#define PTX

// row_number returns ROW. Being volatile it is not computed once for all uses.
DEVICE u32 row_number(void)
{
	u32 group, item;
	__asm__ volatile("mov.u32 %0, %%ctaid.x;\n\tmov.u32 %1, %%tid.x;" : "=r"(group), "=r"(item));
	return group * GROUP + item;
}

#else
#include <stdint.h>
typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;
void barrier(int line);
#define GLOBAL
#define SHARED
#define GROUP_MEMORY static
#define BARRIER barrier(__LINE__)
#define DEVICE static inline
#define OUTLINE static
#define PRIVATE
#define KERNEL static
#define ROW_PARAMETER u32 row_,
#define ROW row_
#define ITEM (row_ % GROUP)
#define CLZ(x) __builtin_clz(x)
#define UNROLL
#define ROLLED
#endif

// ctz returns the number of zeros below the lowest bit of x that is 1. x is not 0.
DEVICE u32 ctz(u32 x)
{
	return 31 - (u32)CLZ(x & (0 - x));
}

// load_be32 returns the number that four bytes encode, the most significant first.
DEVICE u32 load_be32(GLOBAL const u8 *b)
{
	return (u32)b[0] << 24 | (u32)b[1] << 16 | (u32)b[2] << 8 | b[3];
}

// store_be32 writes x as four bytes, the most significant first.
DEVICE void store_be32(GLOBAL u8 *b, u32 x)
{
	b[0] = (u8)(x >> 24);
	b[1] = (u8)(x >> 16);
	b[2] = (u8)(x >> 8);
	b[3] = (u8)x;
}

#endif
