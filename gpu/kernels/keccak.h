// Ethereum's addresses: the last 20 bytes of the Keccak-256 of a key's coordinates (Yellow Paper,
// appendix F). Keccak-256 is that of "The Keccak reference", version 3.0, from before SHA-3.

#ifndef KOBLITZ_KECCAK_H
#define KOBLITZ_KECCAK_H

#include "verdict.h"

#define ADDRESS_SIZE 20 // bytes of an Ethereum address

// keccak_rotl returns x turned by n bits, 1 to 63.
DEVICE u64 keccak_rotl(u64 x, int n) { return x << n | x >> (64 - n); }

// keccak_permute applies Keccak-f[1600] to a (section 1.2), whose lane at x, y is a[x + 5y]. The
// state is in registers: within a round all indices are known to the compiler.
DEVICE void keccak_permute(u64 *a)
{
	// π takes the lane 1 to the first of these, that one to the second, and so on; ρ turns them by
	// the triangular numbers. The lane 0 stays.
	const int to[24] = {
		10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
	};
	u32 r = 1; // x^t modulo x^8 + x^6 + x^5 + x^4 + 1, of which round constants are made
	ROLLED
	for (int round = 0; round < 24; round++) {
		u64 c[5], t;
		UNROLL
		for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
		UNROLL
		for (int i = 0; i < 25; i++) a[i] ^= c[(i + 4) % 5] ^ keccak_rotl(c[(i + 1) % 5], 1); // θ
		t = a[1];
		UNROLL
		for (int i = 0; i < 24; i++) { // ρ, π
			u64 next = a[to[i]];
			a[to[i]] = keccak_rotl(t, (i + 1) * (i + 2) / 2 & 63);
			t = next;
		}
		UNROLL
		for (int y = 0; y < 25; y += 5) { // χ
			u64 first = a[y], second = a[y + 1];
			a[y] ^= ~a[y + 1] & a[y + 2];
			a[y + 1] ^= ~a[y + 2] & a[y + 3];
			a[y + 2] ^= ~a[y + 3] & a[y + 4];
			a[y + 3] ^= ~a[y + 4] & first;
			a[y + 4] ^= ~first & second;
		}
		UNROLL
		for (int j = 0; j < 7; j++) { // ι
			a[0] ^= (u64)(r & 1) << ((1 << j) - 1);
			r = r << 1 ^ (r >> 7) * 0x171;
		}
	}
}

// keccak_swap returns the number whose four bytes are those of x in the opposite order.
DEVICE u32 keccak_swap(u32 x)
{
	return x >> 24 | (x >> 8 & 0xff00) | (x << 8 & 0xff0000) | x << 24;
}

// keccak_lanes sets four lanes to the encoding of a, 32 bytes, the most significant first. Lanes
// have the least significant byte first.
DEVICE void keccak_lanes(u64 *lanes, const fe *a)
{
	fe t;
	fe_normal(&t, a);
	UNROLL
	for (int i = 0; i < 4; i++)
		lanes[i] = keccak_swap(t.v[7 - 2 * i]) | (u64)keccak_swap(t.v[6 - 2 * i]) << 32;
}

// store_address writes the address of the key p if the verdict is VALID, and zeros if it is not.
DEVICE void store_address(GLOBAL u8 *out, const ge *p, u8 verdict)
{
	u64 a[25];
	if (verdict != VALID) {
		ROLLED
		for (int i = 0; i < ADDRESS_SIZE; i++) out[i] = 0;
		return;
	}
	keccak_lanes(a, &p->x);
	keccak_lanes(a + 4, &p->y);
	UNROLL
	for (int i = 8; i < 25; i++) a[i] = 0;
	// The padding of Keccak, from the byte after the message to the last of the 136 of a block.
	a[8] = 1;
	a[16] = (u64)1 << 63;
	keccak_permute(a);
	UNROLL
	for (int i = 0; i < ADDRESS_SIZE; i++) {
		int at = 32 - ADDRESS_SIZE + i;
		out[i] = (u8)(a[at / 8] >> 8 * (at % 8));
	}
}

#endif
