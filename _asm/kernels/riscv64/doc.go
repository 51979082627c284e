// Package riscv64 builds the kernels of riscv64. Package kernels has their contracts, which are
// those of the amd64 kernels, and explains the formulas and names. Here formulas use virtual
// registers; package inorder chooses the order of instructions and the registers. Short loops, and
// code with jumps in between, are ordered by hand.
package riscv64

//ci:untested interp/contract runs every kernel.
