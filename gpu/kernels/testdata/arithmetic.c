// Carries out single functions of field.h, scalar.h, point.h and keccak.h, for tests that compare
// them with the oracle. It reads the table of the comb, of as many bytes as its argument says, and
// then requests: a byte that names the function, and six operands of 32 bytes, the least
// significant first. It answers each with four numbers of 32 bytes, the least significant first,
// and a flag of four. A byte 0 has no operands and no answer: it says that what was answered is to
// be written now. Functions that may have their result in an argument are called in each such way,
// and the program ends with status 3 if the results differ.

#include "keccak.h"
#include "point.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "group.h"

static u32 *table;
static fe in[6], out[4];

static void read_limbs(u32 *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		u8 b[4];
		if (fread(b, 1, 4, stdin) != 4) exit(2);
		v[i] = (u32)b[3] << 24 | (u32)b[2] << 16 | (u32)b[1] << 8 | b[0];
	}
}

static void write_limbs(const u32 *v, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		u8 b[4] = {(u8)v[i], (u8)(v[i] >> 8), (u8)(v[i] >> 16), (u8)(v[i] >> 24)};
		fwrite(b, 1, 4, stdout);
	}
}

static void same(const void *a, const void *b, size_t limbs)
{
	const u32 *x = a, *y = b;
	for (size_t i = 0; i < limbs; i++)
		if (x[i] != y[i]) exit(3);
}

static void bytes_of(u8 *b, const fe *a)
{
	for (int i = 0; i < 32; i++) b[i] = (u8)(a->v[7 - i / 4] >> (24 - 8 * (i % 4)));
}

static sc scalar_of(const fe *a)
{
	sc r;
	for (int i = 0; i < 8; i++) r.v[i] = a->v[i];
	return r;
}

static void give_scalar(const sc *a)
{
	for (int i = 0; i < 8; i++) out[0].v[i] = a->v[i];
}

static void unary(void (*f)(fe *, const fe *))
{
	fe r = in[0];
	f(&out[0], &in[0]);
	f(&r, &r);
	same(&r, &out[0], 8);
}

static void binary(void (*f)(fe *, const fe *, const fe *))
{
	fe r = in[0], s = in[1];
	f(&out[0], &in[0], &in[1]);
	f(&r, &r, &in[1]);
	same(&r, &out[0], 8);
	f(&s, &in[0], &s);
	same(&s, &out[0], 8);
	f(&out[1], &in[0], &in[0]);
	r = in[0];
	f(&r, &r, &r);
	same(&r, &out[1], 8);
}

static u32 tree[TREE_WORDS];
static u32 inverted; // how many work items found their inverse, or 0 for 0

// Work item i inverts operand i mod 6, times i + 1.
static void invert_element(u32 row)
{
	fe a, r, one;
	fe_mul_int(&a, &in[row % 6], row + 1);
	fe_set_int(&one, 1);
	fe_inv_group(&r, &a, tree, row);
	if (fe_is_zero(&a)) {
		inverted += fe_is_zero(&r);
		return;
	}
	fe_mul(&r, &r, &a);
	inverted += fe_equal(&r, &one);
}

static void invert_scalar(u32 row)
{
	sc a, r, factor;
	a = scalar_of(&in[row % 6]);
	sc_reduce(&a, &a, 0);
	sc_set_int(&factor, row + 1);
	sc_mul(&a, &a, &factor);
	sc_inv_group(&r, &a, tree, row);
	if (sc_is_zero(&a)) {
		inverted += sc_is_zero(&r);
		return;
	}
	sc_mul(&r, &r, &a);
	sc_set_int(&a, 1);
	same(&a, &r, 8);
	inverted++;
}

static u32 answer(int function)
{
	u8 b[65];
	u32 flag = 0;
	ge p;
	xyzz w;
	sc a, c;
	switch (function) {
	case 'a': binary(fe_add); break;
	case 's': binary(fe_sub); break;
	case 'm': binary(fe_mul); break;
	case 'q': unary(fe_sqr); break;
	case 'n': unary(fe_neg); break;
	case 'h': unary(fe_half); break;
	case 'b': unary(fe_mul_beta); break;
	case 'N': unary(fe_normal); break;
	case 'i': unary(fe_inv); break;
	case 'r':
		flag = fe_sqrt(&out[0], &in[0]);
		out[1] = in[0];
		if (fe_sqrt(&out[1], &out[1]) != flag) exit(3);
		same(&out[0], &out[1], 8);
		break;
	case 'k':
		fe_mul_int(&out[0], &in[0], in[1].v[0]);
		out[1] = in[0];
		fe_mul_int(&out[1], &out[1], in[1].v[0]);
		same(&out[0], &out[1], 8);
		break;
	case 'f': fe_fold(&out[0], &in[0], (u64)in[1].v[1] << 32 | in[1].v[0]); break;
	case 'c':
		out[0] = in[0];
		fe_cmov(&out[0], &in[1], 0);
		out[1] = in[0];
		fe_cmov(&out[1], &in[1], 1);
		break;
	case '1': fe_set_int(&out[0], in[0].v[0]); break;
	case 'z': flag = fe_is_zero(&in[0]); break;
	case 'e': flag = fe_equal(&in[0], &in[1]); break;
	case 'o': flag = fe_is_odd(&in[0]); break;
	case 'l':
		bytes_of(b, &in[0]);
		flag = fe_load_be(&out[0], b);
		fe_store_be(b + 1, &in[0]);
		fe_load_be(&out[1], b + 1);
		break;

	case 'A': case 'M': {
		void (*f)(sc *, const sc *, const sc *) = function == 'A' ? sc_add : sc_mul;
		sc r, s;
		a = scalar_of(&in[0]), c = scalar_of(&in[1]);
		f(&r, &a, &a);
		give_scalar(&r);
		out[1] = out[0];
		s = a;
		f(&s, &s, &s);
		same(&r, &s, 8);
		f(&r, &a, &c);
		give_scalar(&r);
		f(&c, &a, &c);
		same(&r, &c, 8);
		c = scalar_of(&in[1]);
		f(&a, &a, &c);
		same(&r, &a, 8);
		break;
	}
	case 'I': case 'G': {
		void (*f)(sc *, const sc *) = function == 'I' ? sc_inv : sc_neg;
		a = scalar_of(&in[0]);
		f(&c, &a);
		f(&a, &a);
		same(&a, &c, 8);
		give_scalar(&c);
		break;
	}
	case 'g': case 'V':
		inverted = 0;
		run_groups(function == 'g' ? invert_element : invert_scalar, GROUP);
		flag = inverted;
		break;

	case 'Z': a = scalar_of(&in[0]), flag = sc_is_zero(&a); break;
	case 'H': a = scalar_of(&in[0]), flag = sc_is_high(&a); break;
	case 'L':
		bytes_of(b, &in[0]);
		flag = sc_load_be(&a, b);
		sc_load_be_reduced(&a, b);
		give_scalar(&a);
		sc_store_be(b + 1, &a);
		fe_load_be(&out[1], b + 1);
		break;
	case 'S':
		a = scalar_of(&in[0]);
		sc_split_odd(out[0].v, out[1].v, &a, in[1].v[0]);
		break;

	case 'T': // a table of so many bytes, of zeros but for its header
		free(table);
		table = calloc(1, (u64)in[0].v[1] << 32 | in[0].v[0]);
		if (!table) exit(2);
		table[0] = in[1].v[0];
		break;
	case 'E': // a point of it, at an offset in bytes
		for (int i = 0; i < 16; i++)
			table[((u64)in[0].v[1] << 32 | in[0].v[0]) / 4 + i] = in[1 + i / 8].v[i % 8];
		break;
	case 'W': flag = comb_words_of(in[0].v[0]); break;
	case '.':
		a = scalar_of(&in[0]);
		flag = mul_base(&w, &a, table);
		out[0] = w.x, out[1] = w.y, out[2] = w.zz, out[3] = w.zzz;
		break;
	case '@':
		p = (ge){in[0], in[1]};
		for (int i = 0; i < 12; i++) b[i] = 0;
		store_address(b + 12, &p, VALID);
		fe_load_be(&out[0], b);
		break;
	default: exit(2);
	}
	return flag;
}

int main(int argc, char **argv)
{
	size_t size = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	table = malloc(size);
	if (!table) exit(2);
	read_limbs(table, size / sizeof *table);
	for (int function; (function = getchar()) != EOF;) {
		if (function == 0) {
			fflush(stdout);
			continue;
		}
		for (int i = 0; i < 6; i++) read_limbs(in[i].v, 8);
		for (int i = 0; i < 4; i++) fe_set_int(&out[i], 0);
		u32 flag = answer(function);
		for (int i = 0; i < 4; i++) write_limbs(out[i].v, 8);
		write_limbs(&flag, 1);
	}
	return fflush(stdout) != 0;
}
