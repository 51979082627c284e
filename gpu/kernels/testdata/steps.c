// Tries every case of a division step in divsteps.h, and of a digit in digits.h. It ends with
// status 1 and a line for the first case that differs from the definition.
//
// The test compiles it with a small number of STEPS in a batch, so that all low bits of f and g can
// be tried.

#include "digits.h"
#include "divsteps.h"

#include <stdio.h>
#include <stdlib.h>

// A state of division steps by definition, with the matrix so far.
typedef struct {
	i64 zeta, f, g, u, v, q, r;
} state;

// step makes a division step, with ζ = −(δ + 1/2).
static void step(state *s)
{
	state o = *s;
	i64 odd = o.g & 1;
	if (odd && o.zeta < 0) {
		*s = (state){-o.zeta - 2, o.g, o.g - o.f, 2 * o.q, 2 * o.r, o.q - o.u, o.r - o.v};
	} else {
		*s = (state){o.zeta - 1, o.f, o.g + odd * o.f, 2 * o.u, 2 * o.v, o.q + odd * o.u,
			o.r + odd * o.v};
	}
	s->g /= 2; // exact
}

static i64 magnitude(i64 x) { return x < 0 ? -x : x; }

// try_batches tries every f and g of STEPS bits, and every ζ that makes a difference: one of
// −STEPS − 2 or less stays negative until the first odd g and is not negative afterwards, and one
// of STEPS − 1 or more is never negative.
static void try_batches(void)
{
	const i64 most = (i64)1 << STEPS;
	for (i64 zeta = -STEPS - 2; zeta < STEPS; zeta++)
		for (i64 f = 1; f < most; f += 2)
			for (i64 g = 0; g < most; g++) {
				state s = {zeta, f, g, 1, 0, 0, 1};
				matrix t;
				for (int i = 0; i < STEPS; i++) step(&s);
				i32 z = batch(&t, (i32)zeta, (u32)f, (u32)g);
				if (z != s.zeta || t.u != s.u || t.v != s.v || t.q != s.q || t.r != s.r ||
					magnitude(t.u) + magnitude(t.v) > most || magnitude(t.q) + magnitude(t.r) > most ||
					s.u * s.r - s.v * s.q != most) {
					printf("batch: zeta %d, f %d, g %d\n", (int)zeta, (int)f, (int)g);
					exit(1);
				}
			}
}

// try_digits tries every window of every size c with both carries, below other bits that are all
// zeros or all ones. The sum of the digit and 2^c times the next carry must be the sum of the
// window and the carry. The last window of a half has no next carry.
static void try_digits(void)
{
	for (u32 c = 4; c <= 16; c++)
		for (u32 window = 0; window < (u32)1 << c; window++)
			for (u32 bits = 0; bits < 8; bits++) {
				u32 others = bits & 1 ? ~(u32)0 : 0, last = bits >> 2;
				digits d = {{others << c | window, others, others, others}, bits >> 1 & 1, 0}, before = d;
				u32 negative, digit;
				if (last) d.v[0] = window;
				before = d;
				digit = digits_next(&d, &negative, c, last);
				i64 value = negative ? -(i64)digit : (i64)digit;
				int right = value + ((i64)d.carry << c) == (i64)window + before.carry;
				right &= last ? d.carry == 0 : digit <= (u32)1 << (c - 1) && d.carry <= 1;
				for (int i = 0; i < 4; i++) {
					u32 above = i < 3 ? before.v[i + 1] : 0;
					right &= d.v[i] == (before.v[i] >> c | above << (32 - c));
				}
				digits opposite = before;
				u32 minus;
				opposite.negative = 1;
				right &= digits_next(&opposite, &minus, c, last) == digit && minus == !negative;
				if (!right) {
					printf("digits_next: window %u of %u bits, case %u\n", window, c, bits);
					exit(1);
				}
			}
}

int main(void)
{
	try_batches();
	try_digits();
	return 0;
}
