package btcec

// First bytes of encoded keys.
const (
	pubkeyCompressed   byte = 2
	pubkeyUncompressed byte = 4
	pubkeyHybrid       byte = 6
)
