//go:build purego

package ecmult

// wordsPay is false because readPackedWords needs package unsafe.
const wordsPay = false

//ct:unrun for CPUs that cannot load words from any address
func readPackedWords(e *entry, table string, index uint64) {}
