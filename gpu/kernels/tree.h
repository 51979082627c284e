// Inversion of a number for each work item of a group, at the price of one inversion and some
// multiplications, by a tree of products (Montgomery's trick).
//
// One work item computes the inverse, while the others wait; the multiplications on the way up and
// down cost as much as five of each work item. A work item of its own could have several rows
// instead, and multiply up those: it has to keep them in memory, it needs launches of several times
// as many rows to fill a device, and all work items of a warp wait for the slowest inversion.

#ifndef KOBLITZ_TREE_H
#define KOBLITZ_TREE_H

#include "scalar.h"

// A tree has 2·GROUP nodes of eight limbs, limb k of node i at word 2·GROUP·k + i: work items next
// to each other use words next to each other. The leaves are the nodes from GROUP on, one for each
// work item, and the root is node 1. Node m + j, where j < m and m is a power of two, is the
// product of the nodes 2m + j and 3m + j. Node 0 is not used.
#define TREE_WORDS (2 * GROUP * 8)

DEVICE void node_read(u32 *v, SHARED const u32 *tree, u32 node)
{
	UNROLL
	for (int k = 0; k < 8; k++) v[k] = tree[2 * GROUP * k + node];
}

DEVICE void node_write(SHARED u32 *tree, u32 node, const u32 *v)
{
	UNROLL
	for (int k = 0; k < 8; k++) tree[2 * GROUP * k + node] = v[k];
}

// ring_mul sets r = a·b, modulo n if scalars is 1, and modulo p if it is 0.
DEVICE void ring_mul(u32 *r, const u32 *a, const u32 *b, u32 scalars)
{
	if (scalars)
		sc_mul((sc *)r, (const sc *)a, (const sc *)b);
	else
		fe_mul((fe *)r, (const fe *)a, (const fe *)b);
}

// tree_products sets all nodes but the leaves.
DEVICE void tree_products(SHARED u32 *tree, u32 item, u32 scalars)
{
	u32 a[8], b[8];
	ROLLED
	for (u32 m = GROUP / 2; m > 0; m /= 2) {
		BARRIER;
		if (item < m) {
			node_read(a, tree, 2 * m + item);
			node_read(b, tree, 3 * m + item);
			ring_mul(a, a, b, scalars);
			node_write(tree, m + item, a);
		}
	}
}

// tree_inverses replaces the leaves by their inverses, from the root down, which has been replaced.
DEVICE void tree_inverses(SHARED u32 *tree, u32 item, u32 scalars)
{
	u32 a[8], b[8], inverse[8];
	ROLLED
	for (u32 m = 1; m < GROUP; m *= 2) {
		if (item < m) {
			node_read(inverse, tree, m + item);
			node_read(a, tree, 2 * m + item);
			node_read(b, tree, 3 * m + item);
			ring_mul(b, b, inverse, scalars);
			ring_mul(a, a, inverse, scalars);
			node_write(tree, 2 * m + item, b);
			node_write(tree, 3 * m + item, a);
		}
		BARRIER;
	}
}

// fe_inv_group sets r = 1/a, or 0 if a is 0, for each work item of a group. All of them call it.
DEVICE void fe_inv_group(fe *r, const fe *a, SHARED u32 *tree, u32 item)
{
	fe t, one;
	u32 zero = fe_is_zero(a);
	fe_set_int(&one, 1);
	t = *a;
	fe_cmov(&t, &one, zero);
	node_write(tree, GROUP + item, t.v);
	tree_products(tree, item, 0);
	if (item == 0) { // which made the root
		node_read(t.v, tree, 1);
		fe_inv(&t, &t);
		node_write(tree, 1, t.v);
	}
	tree_inverses(tree, item, 0);
	node_read(r->v, tree, GROUP + item);
	fe_set_int(&t, 0);
	fe_cmov(r, &t, zero);
}

// sc_inv_group does the same modulo n.
DEVICE void sc_inv_group(sc *r, const sc *a, SHARED u32 *tree, u32 item)
{
	sc t;
	u32 zero = sc_is_zero(a);
	t = *a;
	t.v[0] |= zero; // 1 instead of 0
	node_write(tree, GROUP + item, t.v);
	tree_products(tree, item, 1);
	if (item == 0) {
		node_read(t.v, tree, 1);
		sc_inv(&t, &t);
		node_write(tree, 1, t.v);
	}
	tree_inverses(tree, item, 1);
	node_read(r->v, tree, GROUP + item);
	UNROLL
	for (int i = 0; i < 8; i++) r->v[i] = zero ? 0 : r->v[i];
}

#endif
