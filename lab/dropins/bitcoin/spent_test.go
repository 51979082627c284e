package bitcoin

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"errors"
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

// spent parses a file of spent outputs, whose format docs/spent-outputs.md describes. It returns
// the height of a block, and the outputs that the block's inputs spend, in the order of the inputs.
func spent(b []byte) (height int32, outputs []*wire.TxOut, err error) {
	const header = 8 + 4 + 4 + 32 + 4
	if len(b) < header+sha256.Size || string(b[:8]) != "spentout" {
		return 0, nil, errors.New("not a file of spent outputs")
	}
	body := b[:len(b)-sha256.Size]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], b[len(body):]) {
		return 0, nil, errors.New("the checksum is wrong")
	}
	height = int32(binary.LittleEndian.Uint32(b[12:]))
	n := binary.LittleEndian.Uint32(b[48:])
	r := bytes.NewReader(body[header:])
	for range n {
		var amount [8]byte
		if _, err := io.ReadFull(r, amount[:]); err != nil {
			return 0, nil, err
		}
		script, err := wire.ReadVarBytes(r, 0, 10_000, "script")
		if err != nil {
			return 0, nil, err
		}
		outputs = append(outputs, wire.NewTxOut(int64(binary.LittleEndian.Uint64(amount[:])), script))
	}
	return height, outputs, nil
}
