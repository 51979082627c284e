// Package prevouts reads and writes files of spent outputs (the outputs that the inputs of one
// block spend; docs/spent-outputs.md).
//
//ci:untested package bitcoin tests its files.
package prevouts

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// Suffix is appended to the name of a block's file to form the name of its file of spent outputs.
const Suffix = ".spent"

// Magic is the first 8 bytes of a file of spent outputs.
const Magic = "spentout"

const (
	spentVersion    = 1
	spentHeaderSize = 8 + 4 + 4 + 32 + 4
)

// An Output is an output of a transaction.
type Output struct {
	Amount int64 // amount in satoshi
	Script []byte

	At int64 // offset of the output in the file of spent outputs
}

// A Spent holds the outputs that the inputs of one block spend, in the order of the inputs. The
// coinbase is left out.
type Spent struct {
	Name    string         // name of the file, for messages
	Height  int32          // height of the block, or -1
	Block   chainhash.Hash // hash of the block
	Outputs []Output
}

// Write writes a file of spent outputs. Integers are little-endian:
//
//	 8  magic, "spentout" in ASCII
//	 4  version, 1
//	 4  height of the block, or ffffffff if it is not known
//	32  hash of the block, in the byte order in which it is computed
//	 4  number of outputs
//	    for each input of the block's transactions, without the coinbase, in order:
//	 8    amount in satoshi
//	 …    length of the script, a CompactSize as in the block itself
//	 …    script
//	32  SHA-256 of everything before
//
// docs/spent-outputs.md says the same for other writers.
func Write(w io.Writer, s *Spent) error {
	h := sha256.New()
	b := bufio.NewWriter(io.MultiWriter(w, h))
	m := []byte(Magic)
	m = binary.LittleEndian.AppendUint32(m, spentVersion)
	m = binary.LittleEndian.AppendUint32(m, uint32(s.Height))
	m = append(m, s.Block[:]...)
	m = binary.LittleEndian.AppendUint32(m, uint32(len(s.Outputs)))
	b.Write(m)
	for _, o := range s.Outputs {
		m = wireform.AppendOutput(m[:0], o.Amount, o.Script)
		b.Write(m)
	}
	if err := b.Flush(); err != nil {
		return err
	}
	_, err := w.Write(h.Sum(nil))
	return err
}

// Read reads a file of spent outputs, called name, to its end. Each error is a *wireform.FileError
// with the name and the offset of the part that is wrong.
func Read(name string, src io.Reader) (*Spent, error) {
	r := &spentReader{r: bufio.NewReader(src), h: sha256.New()}
	s, err := r.read()
	if err != nil {
		return nil, &wireform.FileError{File: name, Offset: r.at, Err: err}
	}
	s.Name = name
	return s, nil
}

type spentReader struct {
	r   *bufio.Reader
	h   hash.Hash
	at  int64 // offset of the part being read, for errors
	off int64
	buf bytes.Buffer
}

// next returns the next n bytes, which are valid until the next call. Its memory grows with the
// bytes that the input has, not with n. label names these bytes in errors.
func (r *spentReader) next(n int64, label string) ([]byte, error) {
	r.buf.Reset()
	got, err := io.CopyN(&r.buf, r.r, n)
	r.off += got
	r.h.Write(r.buf.Bytes())
	if err == io.EOF {
		r.at = r.off
		return nil, fmt.Errorf("the file of spent outputs ends in the middle of %s", label)
	}
	return r.buf.Bytes(), err
}

func (r *spentReader) read() (*Spent, error) {
	le := binary.LittleEndian
	m, err := r.next(int64(len(Magic)), "its header")
	if err != nil {
		return nil, err
	}
	if string(m) != Magic {
		return nil, fmt.Errorf("not a file of spent outputs: it does not begin with %q", Magic)
	}
	r.at = r.off
	if m, err = r.next(spentHeaderSize-int64(len(Magic)), "its header"); err != nil {
		return nil, err
	}
	if v := le.Uint32(m); v != spentVersion {
		return nil, fmt.Errorf("version %d of the file of spent outputs is not known, only %d", v,
			spentVersion)
	}
	s := &Spent{Height: int32(le.Uint32(m[4:])), Block: chainhash.Hash(m[8:40])}
	n := le.Uint32(m[40:])
	if n > wireform.MaxInputs {
		r.at += 40
		return nil, fmt.Errorf("%d spent outputs are more than a block can have inputs", n)
	}
	total := 0
	for i := range n {
		r.at = r.off
		what := fmt.Sprintf("spent output %d of %d", i, n)
		if m, err = r.next(9, what); err != nil {
			return nil, err
		}
		o := Output{Amount: int64(le.Uint64(m)), At: r.at}
		if o.Amount < 0 || o.Amount > 21e14 {
			return nil, fmt.Errorf("%s has an amount of %d satoshi", what, o.Amount)
		}
		size := uint64(m[8])
		if width := map[uint64]int64{0xfd: 2, 0xfe: 4, 0xff: 8}[size]; width > 0 {
			if m, err = r.next(width, what); err != nil {
				return nil, err
			}
			var b [8]byte
			copy(b[:], m)
			size = le.Uint64(b[:])
		}
		if size > txscript.MaxScriptSize {
			return nil, fmt.Errorf("%s has a script of %d bytes, and one of more than %d can never be spent",
				what, size, txscript.MaxScriptSize)
		}
		if total += int(size); total > wireform.MaxSpentScripts {
			return nil, fmt.Errorf("%s is one too many: the scripts up to it have %d bytes, and %d are kept",
				what, total, wireform.MaxSpentScripts)
		}
		if m, err = r.next(int64(size), what); err != nil {
			return nil, err
		}
		o.Script = bytes.Clone(m)
		s.Outputs = append(s.Outputs, o)
	}
	r.at = r.off
	want := r.h.Sum(nil)
	if m, err = r.next(sha256.Size, "its checksum"); err != nil {
		return nil, err
	}
	if !bytes.Equal(m, want) {
		return nil, errors.New("the checksum of the file of spent outputs is wrong: it is damaged")
	}
	r.at = r.off
	if _, err = r.r.ReadByte(); err == nil {
		return nil, errors.New("more bytes after the checksum of the file of spent outputs")
	} else if err != io.EOF {
		return nil, err
	}
	return s, nil
}
