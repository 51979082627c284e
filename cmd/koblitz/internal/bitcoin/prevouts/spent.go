// Package prevouts reads the outputs that the inputs of one block spend, and calls functions with
// the transactions of a block.
//
//ci:untested package bitcoin tests its files and blocks.
package prevouts

import (
	"fmt"
	"io"

	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// MaxSize is the maximum size in bytes of a file of spent outputs: of wireform.MaxInputs outputs
// whose scripts have wireform.MaxSpentScripts bytes, and of the numbers between them.
const MaxSize = wireform.MaxSpentScripts + 1<<20

// form says which file is wanted.
const form = "the bytes of Bitcoin Core's /rest/spenttxouts/HASH.bin are wanted"

// A Spent reads the outputs that the inputs of one block spend. They are in the form in which
// Bitcoin Core's REST interface returns them from release 30 on (/rest/spenttxouts/HASH.bin): the
// number of the block's transactions, and for each transaction a list. The list has the number of
// outputs, and each output as in the transaction that created it. The numbers are CompactSizes. The
// list of the coinbase is empty. The form names no block, so that only the numbers of transactions
// and inputs tell whether the outputs are those of a block.
//
// The methods return errors of type *reading.Error.
type Spent struct {
	name string
	c    wireform.Cursor
}

// Read reads a file of spent outputs, called name, to its end.
func Read(name string, src io.Reader) (*Spent, error) {
	data, err := io.ReadAll(io.LimitReader(src, MaxSize+1))
	s := &Spent{name: name, c: wireform.Cursor{Data: data}}
	switch {
	case err != nil:
		return nil, s.Fail(len(data), "%w", err)
	case len(data) > MaxSize:
		return nil, s.Fail(MaxSize, "more than %d bytes of spent outputs", MaxSize)
	}
	return s, nil
}

// Fail returns an error at byte at of the file.
func (s *Spent) Fail(at int, format string, args ...any) error {
	return &reading.Error{File: s.name, Offset: int64(at), Err: fmt.Errorf(format, args...)}
}

// Begin reads the number of transactions, which must be txs, and the list of the coinbase.
func (s *Spent) Begin(txs int) error {
	n := s.c.CompactSize("the number of transactions")
	if s.c.Err == nil && n != uint64(txs) {
		return s.Fail(0, "spent outputs of %d transactions, and the block has %d; %s", n, txs, form)
	}
	at := s.c.At
	n = s.c.CompactSize("the number of outputs that the coinbase spends")
	if s.c.Err == nil && n > 0 {
		return s.Fail(at, "%d spent outputs of the coinbase, which spends none; %s", n, form)
	}
	return s.failed()
}

// List begins the list of the next transaction, which must have the given number of outputs. index
// is the index of the transaction in the block.
func (s *Spent) List(index, inputs int) error {
	at := s.c.At
	n := s.c.CompactSize(fmt.Sprintf("the number of outputs that transaction %d spends", index))
	if s.c.Err == nil && n != uint64(inputs) {
		return s.Fail(at, "%d spent outputs of transaction %d, which has %d inputs in the block", n,
			index, inputs)
	}
	return s.failed()
}

// Output reads the next output of a list. Its script aliases the file's content. at is the offset
// of the output in the file.
func (s *Spent) Output() (o wireform.Output, at int, err error) {
	at = s.c.At
	o = wireform.Output{Known: true, Amount: int64(s.c.Uint64("a spent output's amount"))}
	if o.Amount < 0 || o.Amount > 21e14 {
		return o, at, s.Fail(at, "a spent output has an amount of %d satoshi", o.Amount)
	}
	o.Script = s.c.Script("a spent output's script")
	if len(o.Script) > txscript.MaxScriptSize {
		return o, at, s.Fail(at, "a spent output has a script of %d bytes, and one of more than %d can "+
			"never be spent", len(o.Script), txscript.MaxScriptSize)
	}
	return o, at, s.failed()
}

// End returns an error if bytes follow the last list.
func (s *Spent) End() error {
	if rest := len(s.c.Data) - s.c.At; rest > 0 {
		return s.Fail(s.c.At, "%d bytes after the last spent output", rest)
	}
	return nil
}

// failed returns the error that ended reading, or nil.
func (s *Spent) failed() error {
	if s.c.Err == nil {
		return nil
	}
	return s.Fail(s.c.Err.At, "%w", s.c.Err)
}
