//go:build !purego

#include "textflag.h"

// func SetMXCSR(x uint32) (before uint32)
TEXT ·SetMXCSR(SB), NOSPLIT, $0-12
	STMXCSR before+8(FP)
	LDMXCSR x+0(FP)
	RET
