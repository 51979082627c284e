// What a program takes from OpenCL C's library, which clang alone has not: without bodies the
// compiler assumes that each call needs all registers and 16 KiB of memory.

#define LIBRARY __attribute__((overloadable, always_inline))

size_t LIBRARY __attribute__((const)) get_local_id(uint dimension)
{
	return __builtin_amdgcn_workitem_id_x();
}

size_t LIBRARY __attribute__((const)) get_group_id(uint dimension)
{
	return __builtin_amdgcn_workgroup_id_x();
}

size_t LIBRARY __attribute__((const)) get_global_id(uint dimension)
{
	return __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
}

size_t LIBRARY __attribute__((const)) get_local_size(uint dimension)
{
	return 128;
}

uint LIBRARY __attribute__((const)) clz(uint x)
{
	return x ? (uint)__builtin_clz(x) : 32;
}

uint LIBRARY __attribute__((const)) popcount(uint x)
{
	return (uint)__builtin_popcount(x);
}

uint LIBRARY __attribute__((const)) mul_hi(uint a, uint b)
{
	return (uint)((ulong)a * b >> 32);
}

uint LIBRARY __attribute__((const)) rotate(uint x, uint n)
{
	return x << (n & 31) | x >> (-n & 31);
}

uint LIBRARY __attribute__((const)) min(uint a, uint b)
{
	return a < b ? a : b;
}

uint LIBRARY __attribute__((const)) max(uint a, uint b)
{
	return a > b ? a : b;
}

void LIBRARY __attribute__((convergent)) barrier(cl_mem_fence_flags flags)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define ATOMICS(space)                                                        \
	uint LIBRARY atomic_add(volatile space uint *p, uint x)               \
	{                                                                     \
		return __atomic_fetch_add(p, x, __ATOMIC_RELAXED);            \
	}                                                                     \
	uint LIBRARY atomic_sub(volatile space uint *p, uint x)               \
	{                                                                     \
		return __atomic_fetch_sub(p, x, __ATOMIC_RELAXED);            \
	}                                                                     \
	uint LIBRARY atomic_inc(volatile space uint *p)                       \
	{                                                                     \
		return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);            \
	}                                                                     \
	uint LIBRARY atomic_or(volatile space uint *p, uint x)                \
	{                                                                     \
		return __atomic_fetch_or(p, x, __ATOMIC_RELAXED);             \
	}                                                                     \
	uint LIBRARY atomic_and(volatile space uint *p, uint x)               \
	{                                                                     \
		return __atomic_fetch_and(p, x, __ATOMIC_RELAXED);            \
	}                                                                     \
	uint LIBRARY atomic_xchg(volatile space uint *p, uint x)              \
	{                                                                     \
		return __atomic_exchange_n(p, x, __ATOMIC_RELAXED);           \
	}                                                                     \
	uint LIBRARY atomic_cmpxchg(volatile space uint *p, uint old, uint x) \
	{                                                                     \
		__atomic_compare_exchange_n(p, &old, x, 0, __ATOMIC_RELAXED,  \
			__ATOMIC_RELAXED);                                    \
		return old;                                                   \
	}

ATOMICS(__global)
ATOMICS(__local)
