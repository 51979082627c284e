package bitcoin

import (
	"fmt"
	"io"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// A record is one block of a blk*.dat file.
type record struct {
	file   string
	offset int64 // offset of the record in its file
	header wireform.Header
	height int32  // height of the block, known once its parent has been read
	data   []byte // the serialized block
	order  int    // position of the block in reading order

	waited  bool  // the block has been on the shelf
	shelved int64 // if data is nil: offset of the block in the shelf's file
	size    int
}

// shelfMemory is the maximum total size in bytes of the blocks that a shelf keeps in memory.
const shelfMemory = 8 << 20

// A shelf keeps blocks that come before their parents. A few such blocks are common, since a node
// writes blocks in the order in which they arrive. Blocks that exceed shelfMemory bytes in total go
// to a temporary file. A shelf has at most maxWaiting blocks.
type shelf struct {
	space  *tempfile.Space
	memory int // limit on held: shelfMemory, or less in tests
	parent map[chainhash.Hash][]*record
	n      int // number of blocks on the shelf
	held   int // total size in bytes of the blocks in memory
	file   *tempfile.File
	end    int64
}

func (s *shelf) put(r *record) error {
	if s.parent == nil {
		s.parent = make(map[chainhash.Hash][]*record)
	}
	if s.n == maxWaiting {
		return fmt.Errorf("%d blocks wait for their parents, as if a file was missing before this "+
			"one: more than that are not kept", maxWaiting)
	}
	r.size, r.waited = len(r.data), true
	if s.held+r.size > s.memory {
		if s.file == nil {
			f, err := s.space.New("blocks")
			if err != nil {
				return err
			}
			s.file = f
		}
		if _, err := s.file.WriteAt(r.data, s.end); err != nil {
			return fmt.Errorf("no place for blocks that come before their parents: %w", err)
		}
		r.shelved, r.data = s.end, nil
		s.end += int64(r.size)
	} else {
		s.held += r.size
	}
	s.parent[r.header.Prev] = append(s.parent[r.header.Prev], r)
	s.n++
	return nil
}

// children takes the blocks whose parent has the given hash off the shelf of waiting blocks, and
// returns them. The caller must call load for each block.
func (s *shelf) children(hash chainhash.Hash) []*record {
	rs := s.parent[hash]
	delete(s.parent, hash)
	return rs
}

// load restores the data of a block that was taken off the shelf of waiting blocks.
func (s *shelf) load(r *record) error {
	s.n--
	if r.data != nil {
		s.held -= r.size
	} else {
		r.data = make([]byte, r.size)
		if _, err := s.file.ReadAt(r.data, r.shelved); err != nil && err != io.EOF {
			return fmt.Errorf("reading back a block that came before its parent: %w", err)
		}
	}
	if s.n == 0 {
		s.end = 0
	}
	return nil
}

// rest takes all blocks off the shelf of waiting blocks, and returns them in the order in which
// they were read. The caller must call load for each block.
func (s *shelf) rest() (all []*record) {
	for _, rs := range s.parent {
		all = append(all, rs...)
	}
	s.parent = nil
	slices.SortFunc(all, func(a, b *record) int { return a.order - b.order })
	return all
}

func (s *shelf) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
