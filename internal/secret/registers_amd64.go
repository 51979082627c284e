//go:build !purego

package secret

import "github.com/koblitz-go/koblitz/internal/cpu"

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package secret -dir ../internal/secret

// clearRegisters zeroes the registers that f may have left secrets in. The standard
// library leaves secrets in vector registers: copies of 32 bytes go through them, and
// so does the input of SHA-256.
func clearRegisters() {
	switch {
	case cpu.Has(cpu.AVX512F):
		clearRegistersAVX512()
	case cpu.Has(cpu.AVX2):
		clearRegistersAVX2()
	default:
		clearRegistersSSE()
	}
}
