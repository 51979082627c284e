package bitcoin

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"

	"github.com/btcsuite/btcd/wire/v2"
)

// sample is the folder of a block that is embedded in the command koblitz.
const sample = "../../../cmd/koblitz/sample"

// unpacked returns the uncompressed content of the named file in sample.
func unpacked(name string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(sample, name))
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// spent decodes the outputs that a block's inputs spend, in the form of Bitcoin Core's
// /rest/spenttxouts/HASH.bin. The outputs are in the order of the inputs.
func spent(b []byte) (outputs []*wire.TxOut, err error) {
	r := bytes.NewReader(b)
	txs, err := wire.ReadVarInt(r, 0)
	if err != nil {
		return nil, err
	}
	for range txs {
		inputs, err := wire.ReadVarInt(r, 0)
		if err != nil {
			return nil, err
		}
		for range inputs {
			var o wire.TxOut
			if err := wire.ReadTxOut(r, 0, 0, &o); err != nil {
				return nil, err
			}
			outputs = append(outputs, &o)
		}
	}
	return outputs, nil
}
