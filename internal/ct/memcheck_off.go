//go:build !(valgrind && amd64 && linux)

package ct

// Declassify marks the given number of 64-bit words from p as public for memcheck.
// It does nothing unless the program is built to run under memcheck.
func Declassify(p *uint64, words int) {}

// DeclassifyBytes is Declassify for bytes.
func DeclassifyBytes(b []byte) {}

// Classify marks the given number of 64-bit words from p as secret for memcheck.
// It does nothing unless the program is built to run under memcheck.
func Classify(p *uint64, words int) {}

// Declassify32 is Declassify for words of 32 bits.
func Declassify32(p *uint32, words int) {}

// ClassifyBytes is Classify for bytes.
func ClassifyBytes(b []byte) {}
