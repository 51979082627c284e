package prevouts

import (
	"fmt"
	"strconv"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A BlockID identifies a block by its height in the best chain or, if Height is -1, by its hash.
type BlockID struct {
	Height int32 // height, or -1
	Hash   chainhash.Hash
}

// ParseBlockID parses a height, or a hash in hex as block explorers show it.
func ParseBlockID(s string) (BlockID, error) {
	if len(s) == 2*chainhash.HashSize {
		if hash, err := chainhash.NewHashFromStr(s); err == nil {
			return BlockID{-1, *hash}, nil
		}
	}
	n, err := strconv.ParseInt(s, 10, 31)
	if err != nil || n < 0 {
		return BlockID{}, fmt.Errorf("%q is neither a height nor the 64 hex digits of a block's hash", s)
	}
	return BlockID{Height: int32(n)}, nil
}

func (id BlockID) String() string {
	if id.Height < 0 {
		return id.Hash.String()
	}
	return strconv.Itoa(int(id.Height))
}

// A FullBlock is a block with the outputs that its inputs spend.
type FullBlock struct {
	Raw   []byte // the serialized block; nil if the source has another form of it
	Spent *Spent
}

// A BlockSource returns single blocks with the outputs that they spend.
type BlockSource interface {
	// Block returns the block that id identifies. It returns an error if the block does not exist
	// or its spent outputs are unknown.
	Block(id BlockID) (*FullBlock, error)
}

// Append adds an output. It returns an error if the list would exceed the limits that Read
// enforces.
func (s *Spent) Append(o wireform.Output) error {
	if len(s.Outputs) == wireform.MaxInputs {
		return fmt.Errorf("it has more than %d inputs, and no block can", wireform.MaxInputs)
	}
	if s.scripts += len(o.Script); s.scripts > wireform.MaxSpentScripts {
		return fmt.Errorf("the scripts that it spends have more than %d bytes, and no more go to a file",
			wireform.MaxSpentScripts)
	}
	s.Outputs = append(s.Outputs, Output{Amount: o.Amount, Script: o.Script})
	return nil
}
