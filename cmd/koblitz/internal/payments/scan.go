package payments

import (
	"context"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A Payment is an output that pays the wallet.
type Payment struct {
	Height int32
	Block  chainhash.Hash
	Tx     chainhash.Hash
	Output uint32
	Value  int64 // in satoshi
	Key    [32]byte
	Match  silentpay.Match
}

// A Scan finds the payments to a wallet.
type Scan struct {
	Chain   Chain
	Tweaks  *tweakfile.File
	Scanner *silentpay.Scanner // for one receiver
	Workers int

	Reached func(*Scanned) error // called after each block
}

// A Scanned is a block with the payments that were found in it.
type Scanned struct {
	Height int32
	Hash   chainhash.Hash
	Tweaks int // their number
	Found  []Payment
}

// Run scans the blocks from, …, to.
func (s *Scan) Run(ctx context.Context, from, to int32) error {
	block := func(height int32) (*Scanned, error) { return s.block(ctx, height) }
	return inOrder(ctx, s.Workers, from, to, block, s.Reached)
}

// Compare returns an error if the block at the given height is not the same in Chain and Tweaks.
// Each block names its parent, so then the blocks before it are the same too.
func (s *Scan) Compare(height int32) error {
	want, err := s.Tweaks.Hash(height)
	if err != nil {
		return err
	}
	is, err := s.Chain.Hash(height)
	if err != nil {
		return err
	}
	return s.differs(height, is, want)
}

// differs returns an error if is, the hash of a block in Chain, differs from want, that in Tweaks.
func (s *Scan) differs(height int32, is, want chainhash.Hash) error {
	if is == want {
		return nil
	}
	return fmt.Errorf("block %d of %s is %v, and in %s it is %v: bring the file up to date "+
		"('koblitz tweaks')", height, s.Chain.Name(), is, s.Tweaks.Name(), want)
}

// block scans the block at the given height. It reads the whole block only if it has a tweak.
func (s *Scan) block(ctx context.Context, height int32) (*Scanned, error) {
	b, err := s.Tweaks.Block(height)
	if err != nil {
		return nil, err
	}
	scanned := &Scanned{Height: height, Hash: b.Hash, Tweaks: len(b.Positions)}
	if scanned.Tweaks == 0 {
		return scanned, s.Compare(height)
	}
	txs := make([]candidate, 0, scanned.Tweaks)
	head, err := s.Chain.Raw(height, func(index int, tx *wire.MsgTx, id chainhash.Hash,
		_ []wireform.Output) error {
		if len(txs) < len(b.Positions) && index == int(b.Positions[len(txs)]) {
			txs = append(txs, candidateOf(tx, id))
		}
		return nil
	})
	if err == nil {
		err = s.differs(height, head.Hash, b.Hash)
	}
	switch {
	case err != nil:
		return nil, err
	case len(txs) < len(b.Positions):
		return nil, fmt.Errorf("%s: block %d has no transaction %d", s.Tweaks.Name(), height,
			b.Positions[len(txs)])
	}
	matches, err := s.match(ctx, b, txs)
	if err != nil {
		return nil, fmt.Errorf("%s: block %d: %w", s.Tweaks.Name(), height, err)
	}
	for i, found := range matches {
		for _, m := range found {
			out := txs[i].tx.TxOut[txs[i].at[m.Output]]
			scanned.Found = append(scanned.Found, Payment{Height: height, Block: b.Hash, Tx: txs[i].id,
				Output: txs[i].at[m.Output], Value: out.Value, Key: txs[i].keys[m.Output], Match: m})
		}
	}
	return scanned, nil
}

// A candidate is a transaction that may contain payments.
type candidate struct {
	tx   *wire.MsgTx
	id   chainhash.Hash
	keys [][32]byte // keys of the taproot outputs
	at   []uint32   // indices of these outputs
}

func candidateOf(tx *wire.MsgTx, id chainhash.Hash) candidate {
	c := candidate{tx: tx, id: id}
	for i, out := range tx.TxOut {
		if txscript.IsPayToTaproot(out.PkScript) {
			c.keys = append(c.keys, [32]byte(out.PkScript[2:]))
			c.at = append(c.at, uint32(i))
		}
	}
	return c
}

// match scans the transactions txs of a block, whose tweaks are those of b. It returns the matches
// of each, in the order of their outputs. All secret work of a Scan is here.
func (s *Scan) match(ctx context.Context, b *tweakfile.Block, txs []candidate) (
	[][]silentpay.Match, error) {
	var t silentpay.Transactions
	for i := range txs {
		t.Tweaks = append(t.Tweaks, b.Tweak(i)...)
		for _, key := range txs[i].keys {
			t.Outputs = append(t.Outputs, key[:]...)
		}
		t.Ends = append(t.Ends, len(t.Outputs)/32)
	}
	verdicts := make([]batch.Verdict, len(txs))
	found, err := s.Scanner.Scan(ctx, t, verdicts, &batch.SecretOptions{Workers: 1})
	if err != nil {
		return nil, err
	}
	if i := slices.Index(verdicts, batch.Malformed); i >= 0 {
		return nil, fmt.Errorf("tweak %d is not the encoding of a point", i)
	}
	all := make([][]silentpay.Match, len(txs))
	for _, f := range found {
		all[f.Transaction] = append(all[f.Transaction], f.Match)
	}
	for i := range all {
		slices.SortFunc(all[i], func(a, b silentpay.Match) int { return a.Output - b.Output })
	}
	return all, nil
}
