// Package utxo keeps the unspent outputs of a chain, some in memory and the rest in a temporary
// file.
package utxo

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// ForkDepth is the number of blocks for which a spent output is kept, so that a block of another
// branch can spend it too. No fork of a real chain was nearly that deep.
const ForkDepth = 288

// OutputMemory is the default limit on the memory in bytes for unspent outputs. It suffices for
// about 150,000 outputs.
const OutputMemory = 24 << 20

// entryOverhead is an upper bound on the bytes of an entry of Set.recent, not counting the value's
// bytes: the key, the slice header, and free space in the map.
const entryOverhead = 128

func entrySize(value []byte) int64 { return int64(entryOverhead + cap(value)) }

// A Set holds the outputs of a chain that may still be spent, and the heights of the chain's
// blocks. It keeps the latest outputs in memory, and the others in a temporary file with 110 to 220
// bytes for each. The transaction id determines the contents of an output, so a Set does not record
// in which branch an output was created or spent.
//
// The value of an output is 4 bytes, then the amount as a uvarint, then the script. The 4 bytes are
// 0 for an unspent output. For a spent one they hold the height at which it was first spent, plus
// one.
type Set struct {
	recent map[wireform.Outpoint][]byte
	size   int64 // bytes that recent uses
	Memory int64 // limit on size in bytes
	space  *tempfile.Space
	older  *table
	Tip    int32 // greatest height passed to AddBlock
}

// NewSet returns an empty Set that creates its temporary file in space.
func NewSet(space *tempfile.Space) *Set {
	return &Set{recent: make(map[wireform.Outpoint][]byte), Memory: OutputMemory, space: space}
}

// Close removes the temporary file, if there is one.
func (s *Set) Close() error {
	if s.older == nil {
		return nil
	}
	return s.older.Close()
}

// Forget frees the memory of the outputs. After it, only Close may be called.
func (s *Set) Forget() { s.recent = nil }

// Add adds the outputs of a transaction. It leaves out outputs that can never be spent: those with
// a script that begins with OP_RETURN, as many have, or that exceeds the size limit.
func (s *Set) Add(id chainhash.Hash, outs []*wire.TxOut) error {
	head := make([]byte, markSize, markSize+binary.MaxVarintLen64)
	for i, out := range outs {
		if len(out.PkScript) > 0 && out.PkScript[0] == txscript.OP_RETURN ||
			len(out.PkScript) > txscript.MaxScriptSize {
			continue
		}
		head = binary.AppendUvarint(head[:markSize], uint64(out.Value))
		value := make([]byte, len(head)+len(out.PkScript))
		copy(value[copy(value, head):], out.PkScript)
		if err := s.put(wireform.Outpoint{Tx: id, Index: uint32(i)}, value); err != nil {
			return err
		}
	}
	return nil
}

// blockIndex replaces the output index in the key under which a block's height is stored. No output
// has this index.
const blockIndex = 1<<32 - 1

// AddBlock stores the height of a block.
func (s *Set) AddBlock(hash chainhash.Hash, height int32) error {
	s.Tip = max(s.Tip, height)
	return s.put(wireform.Outpoint{Tx: hash, Index: blockIndex},
		binary.LittleEndian.AppendUint32(make([]byte, markSize),
			uint32(height)))
}

// Block returns the height of the block with the given hash. ok is false if AddBlock was not called
// for it.
func (s *Set) Block(hash chainhash.Hash) (height int32, ok bool, err error) {
	value, err := s.get(wireform.Outpoint{Tx: hash, Index: blockIndex})
	if err != nil || value == nil {
		return 0, false, err
	}
	return int32(binary.LittleEndian.Uint32(value[markSize:])), true, nil
}

// Spend returns the output p and marks it as spent at height. The output can be spent again, by
// other branches, for ForkDepth more blocks. If p is unknown, the result has Known false.
func (s *Set) Spend(p wireform.Outpoint, height int32) (o wireform.Output, err error) {
	if p.Index == blockIndex {
		return o, nil
	}
	value, err := s.get(p)
	if err != nil || value == nil || s.forgotten(value) {
		return o, err
	}
	if binary.LittleEndian.Uint32(value) == 0 {
		binary.LittleEndian.PutUint32(value, uint32(height)+1)
		if err := s.put(p, value); err != nil {
			return o, err
		}
	}
	amount, n := binary.Uvarint(value[markSize:])
	return wireform.Output{Known: true, Amount: int64(amount), Script: value[markSize+n:]}, nil
}

// forgotten reports whether value is the value of an output that was spent more than ForkDepth
// blocks ago.
func (s *Set) forgotten(value []byte) bool {
	mark := binary.LittleEndian.Uint32(value)
	return mark > 0 && int32(mark-1) < s.Tip-ForkDepth
}

// get returns the value of the output p, or nil if there is none. The result may alias the value in
// s.recent.
func (s *Set) get(p wireform.Outpoint) ([]byte, error) {
	if value, ok := s.recent[p]; ok || s.older == nil {
		return value, nil
	}
	return s.older.get(p)
}

// put stores the value of the output p.
func (s *Set) put(p wireform.Outpoint, value []byte) error {
	if old, ok := s.recent[p]; ok {
		s.size -= entrySize(old)
	}
	s.recent[p] = value
	if s.size += entrySize(value); s.size > s.Memory {
		return s.spill()
	}
	return nil
}

// spill removes from s.recent the outputs that are forgotten. If s.recent still uses more than half
// of Memory, spill moves all of it to the file.
func (s *Set) spill() error {
	size := int64(0) // bytes that the remaining values need in the file
	for p, value := range s.recent {
		if s.forgotten(value) {
			s.size -= entrySize(value)
			delete(s.recent, p)
		} else {
			size += recordSize(value)
		}
	}
	if s.size <= s.Memory/2 {
		return nil
	}
	var err error
	if s.older == nil {
		s.older, err = newTable(s.space, maphash.MakeSeed(), size, s.forgotten)
	} else {
		err = s.older.reserve(size)
	}
	if err != nil {
		return err
	}
	// Move the values in the order of their pages in the file, so that each page is read and
	// written once.
	type place struct {
		page int
		p    wireform.Outpoint
	}
	places := make([]place, 0, len(s.recent))
	for p := range s.recent {
		places = append(places, place{s.older.home(p), p})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.page, b.page) })
	s.older.wide = 4*len(places) > s.older.pages
	for i := range places {
		if err := s.older.put(places[i].p, s.recent[places[i].p]); err != nil {
			return err
		}
	}
	clear(s.recent)
	s.size = 0
	s.older.wide = false
	return s.older.flush()
}
