package bitcoin

import (
	"encoding/binary"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// An outpoint names an output.
type outpoint struct {
	tx    chainhash.Hash
	index uint32
}

func outpointOf(in *wire.TxIn) outpoint {
	return outpoint{in.PreviousOutPoint.Hash, in.PreviousOutPoint.Index}
}

// forkDepth is for how many blocks a spent output is remembered, so that a
// block of another branch may spend it too: no fork of the chain was ever near
// as deep.
const forkDepth = 288

// An outputSet holds the outputs of a chain that may still be spent. What an
// output holds follows from its transaction's id, so that it does not matter
// on which branch it was made or spent. Each one takes about 120 bytes.
type outputSet struct {
	all   map[outpoint]string // amount as a uvarint, script
	spent []spending          // in order of height, as near as forks let it
}

type spending struct {
	p      outpoint
	height int32
}

func newOutputSet() *outputSet { return &outputSet{all: make(map[outpoint]string)} }

// add records the outputs of a transaction, without those that begin with
// OP_RETURN: they cannot be spent, and there are a great many of them.
func (s *outputSet) add(id chainhash.Hash, outs []*wire.TxOut) {
	var b []byte
	for i, out := range outs {
		if len(out.PkScript) > 0 && out.PkScript[0] == txscript.OP_RETURN {
			continue
		}
		b = binary.AppendUvarint(b[:0], uint64(out.Value))
		b = append(b, out.PkScript...)
		s.all[outpoint{id, uint32(i)}] = string(b)
	}
}

// spend returns the output and lets go of it forkDepth blocks later.
func (s *outputSet) spend(p outpoint, height int32) (o output) {
	packed, ok := s.all[p]
	if !ok {
		return o
	}
	s.spent = append(s.spent, spending{p, height})
	b := []byte(packed)
	amount, n := binary.Uvarint(b)
	return output{true, int64(amount), b[n:]}
}

// forget lets go of what was spent forkDepth blocks before height.
func (s *outputSet) forget(height int32) {
	n := 0
	for n < len(s.spent) && s.spent[n].height < height-forkDepth {
		delete(s.all, s.spent[n].p)
		n++
	}
	// The slice moves forward in its array, and is copied to a new one when it
	// grows past the end: what was forgotten does not stay.
	s.spent = s.spent[n:]
}
