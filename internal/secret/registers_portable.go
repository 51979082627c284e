//go:build !amd64 || purego

package secret

// The seam of machines whose registers only assembly could clear, and where the
// compiler hardly uses vectors.

func clearRegisters() {}
