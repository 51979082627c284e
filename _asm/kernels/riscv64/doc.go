// Package riscv64 builds the kernels of riscv64. Their contracts, which are those of amd64,
// are in package kernels, as are formulas and names; what differs is that formulas are written
// with virtual registers, and package inorder finds an order and the registers. Loops of few
// instructions, and what has jumps between them, have an order by hand.
package riscv64

//ci:untested interp/contract runs every kernel.
