//go:build valgrind && linux

#include "textflag.h"

// func clientRequest(r *request)
//
// The four rotations leave DI as it was and tell valgrind that the exchange
// after them is a client request (valgrind.h, "SPECIAL INSTRUCTIONS"): AX
// holds the address of the request, DX the result, which is not used. On a CPU
// all of it does nothing.
TEXT ·clientRequest(SB), NOSPLIT, $0-8
	MOVQ r+0(FP), AX
	XORL DX, DX
	ROLQ $3, DI
	ROLQ $13, DI
	ROLQ $61, DI
	ROLQ $51, DI
	XCHGQ BX, BX
	RET
