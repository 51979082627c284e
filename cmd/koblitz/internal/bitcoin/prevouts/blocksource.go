package prevouts

import (
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A BlockID identifies a block by its height in the best chain or, if Height is -1, by its hash.
type BlockID struct {
	Height int32 // height, or -1
	Hash   chainhash.Hash
}

// A FullBlock is a block with the outputs that its inputs spend.
type FullBlock struct {
	Raw   []byte // the serialized block; nil if the source has another form of it
	Spent *Spent
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
