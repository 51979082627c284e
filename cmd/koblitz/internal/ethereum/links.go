package ethereum

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A link is the part of a block's header that ties the block to others. Its fields are exported
// because a reading.Place holds them in JSON.
type link struct {
	Number, Time uint64
	Hash, Parent [32]byte
	Known        bool // the parent was read
	Named        bool // a child was read
}

// Links compares each block with the blocks before it. A block's parent hash vouches for its
// parent's header, so a change of a header breaks the chain at the block's children. The blocks may
// come in any order, and the chain may have gaps and branches.
type Links struct {
	Recent []link `json:"links"` // the blocks that were read last, at most maxRecent
}

// maxRecent is the number of blocks among which add looks for a block's parent and children. No
// branch of mainnet was that long.
const maxRecent = 16

// add compares b, a block of chain c, with the blocks before it. If b breaks the chain, broken says
// where. roots is the change of the number of blocks whose parent was not read; leaves is the
// change of the number of blocks without a child. A block that is read twice counts once.
func (l *Links) add(c Chain, b link) (broken string, roots, leaves int64) {
	self := slices.IndexFunc(l.Recent, func(o link) bool { return o.Hash == b.Hash })
	isNew := self < 0
	if isNew {
		if len(l.Recent) == maxRecent {
			l.Recent = slices.Delete(l.Recent, 0, 1)
		}
		self = len(l.Recent)
		l.Recent = append(l.Recent, b)
		roots, leaves = 1, 1
	}
	n := &l.Recent[self]
	for i := range l.Recent {
		parent, child := &l.Recent[i], n
		if parent.Parent == n.Hash {
			parent, child = n, parent
		}
		if child.Parent != parent.Hash {
			continue
		}
		if !child.Known { // if it is, the parent was read before, more than maxRecent blocks ago
			child.Known = true
			roots--
			if !parent.Named {
				parent.Named = true
				leaves--
			}
		}
		if child.Number != parent.Number+1 {
			broken = fmt.Sprintf("the chain breaks: block %d, 0x%x, is the parent of block %d, 0x%x",
				parent.Number, parent.Hash, child.Number, child.Hash)
		}
	}
	if isNew && broken == "" {
		broken = l.breaks(c, self)
	}
	return broken, roots, leaves
}

// breaks returns where the block with the given index, which was read last, breaks the chain, or
// "". A block whose parent was not read breaks it if another block has the parent's number.
func (l *Links) breaks(c Chain, index int) string {
	n := &l.Recent[index]
	for i := range l.Recent {
		o := &l.Recent[i]
		switch {
		case o.Number+1 == n.Number && !n.Known:
			return fmt.Sprintf("the chain breaks: its parent is 0x%x, and block %d of the file is 0x%x",
				n.Parent, o.Number, o.Hash)
		case n.Number+1 == o.Number && !o.Known:
			return fmt.Sprintf("the chain breaks: its hash is 0x%x, and block %d of the file has the "+
				"parent 0x%x", n.Hash, o.Number, o.Parent)
		}
	}
	if index == 0 || n.Known || n.Named {
		return ""
	}
	// There is a gap before the block. Numbers and times must grow together.
	before := &l.Recent[index-1]
	low, high := before, n
	if low.Number > high.Number {
		low, high = high, low
	}
	blocks, apart := high.Number-low.Number, c.apart(low.Number)
	if blocks > 0 && (low.Time > high.Time || apart > 0 && (high.Time-low.Time)/apart < blocks) {
		return fmt.Sprintf("the chain breaks: its time is %d, and block %d before it, 0x%x, has the "+
			"time %d", n.Time, before.Number, before.Hash, before.Time)
	}
	return ""
}

// place returns p with l added to its details.
func (l *Links) place(p *reading.Place) *reading.Place {
	detail := map[string]json.RawMessage{}
	if p.Tell(&detail) != nil || reading.NewPlace(0, l).Tell(&detail) != nil {
		return p // unreachable: details are objects
	}
	return reading.NewPlace(p.Offset, detail)
}

// linksAt returns the Links of a reader that begins at the place start, or at the beginning of the
// file if start is nil.
func linksAt(start *reading.Place) *Links {
	l := new(Links)
	if start.Tell(l) != nil {
		return new(Links) // the format's reader returns the same error
	}
	l.Recent = l.Recent[:min(len(l.Recent), maxRecent)]
	return l
}
