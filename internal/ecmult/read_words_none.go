//go:build purego

package ecmult

// wordsPay is false without package unsafe.
const wordsPay = false

func readPackedWords(e *entry, table string, index uint64) {}
