// Package riscv64 builds the kernels of riscv64. Package kernels documents their contracts, which
// are those of the amd64 kernels, and explains the formulas and names. The formulas use virtual
// registers; package inorder chooses the order of the instructions and the registers. Short loops,
// and code between jumps, are ordered by hand.
package riscv64

//ci:untested interp/contract runs every kernel.
