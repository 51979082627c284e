package ethereum

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// Senders sets senders[i] and errs[i] to the results of types.Sender(signer, txs[i]), and returns
// the number of transactions with a sender. senders and errs must be as long as txs; Senders
// overwrites them. A transaction without a sender has the error that go-ethereum returns for it,
// such as [types.ErrInvalidSig], and changes no other row. A nil transaction, and every other one
// for which go-ethereum panics, gets an error too.
//
// As types.Sender does, Senders stores each sender in its transaction. A later call of types.Sender
// or Senders with an equal signer reads it there. Senders computes a sender again that types.Sender
// has stored, because go-ethereum shows it only to its own signers.
//
// Senders recovers many keys at a time for the signers of go-ethereum ([types.FrontierSigner] to
// [types.NewPragueSigner]) and the transactions of types 0 to 4. Other signers, other types and
// transactions without a valid signature take the time of types.Sender each. The methods of a
// signer must be safe for concurrent use unless o.Workers is 1.
//
// There is an error, before anything is written, if the signer is nil or a slice has another
// length. Once ctx is done no further transactions are begun: the error is that of the context, as
// is errs[i] of each transaction that was not reached. A nil context is never done.
func Senders(
	ctx context.Context, signer types.Signer, txs []*types.Transaction,
	senders []common.Address, errs []error, o *Options,
) (valid int, err error) {
	if signer == nil {
		return 0, errors.New("ethereum: signer: nil")
	}
	txs = slices.Clone(txs) // a sender is stored in the transaction that was read
	r, known := rulesOf(signer)
	return recoverAll(ctx, len(txs), senders, errs, o, func() source {
		return &transactions{txs: txs, rules: r, known: known, cache: &cache{Signer: signer}}
	})
}

// rules holds the requirements of a known signer on a transaction.
type rules struct {
	newest byte        // the highest permitted type; all lower ones are permitted
	id     uint64      // the chain ID, if eip155 is set
	eip155 bool        // a transaction may name the chain
	s      batch.SRule // LowS since Homestead
}

// rulesOf returns the rules of a signer of go-ethereum. It returns false for other signers.
func rulesOf(signer types.Signer) (r rules, known bool) {
	r.s = batch.LowS
	switch signer.(type) {
	case types.FrontierSigner:
		r.s = batch.AnyS
		return r, true
	case types.HomesteadSigner:
		return r, true
	}
	defer func() {
		if recover() != nil { // a signer that implements Sender alone
			known = false
		}
	}()
	id := signer.ChainID()
	if id == nil || id.Sign() < 0 || !id.IsUint64() {
		return r, false
	}
	r.id, r.eip155 = id.Uint64(), true
	if _, ok := signer.(types.EIP155Signer); ok {
		return r, true
	}
	if r.id == 0 {
		return r, false
	}
	for i, signerFor := range [...]func(*big.Int) types.Signer{
		types.NewEIP2930Signer, types.NewLondonSigner, types.NewCancunSigner, types.NewPragueSigner,
	} {
		// The receiver is a signer of go-ethereum, whose Equal cannot be mistaken.
		if signerFor(id).Equal(signer) {
			r.newest = types.AccessListTxType + byte(i)
			return r, true
		}
	}
	return r, false
}

// transactions is the source of the rows of Senders.
type transactions struct {
	txs   []*types.Transaction
	rules rules
	known bool // the rules are those of the signer
	cache *cache
	buf   bytes.Buffer // one encoded transaction
}

func (t *transactions) rule() batch.SRule { return t.rules.s }

// look returns the sender that is stored in transaction i. If no sender is stored, look adds a row
// for the transaction, or asks go-ethereum if add does not accept it.
func (t *transactions) look(i int, r *rows) (common.Address, bool, error) {
	tx := t.txs[i]
	if tx == nil {
		return common.Address{}, true, errors.New("ethereum: transaction: nil")
	}
	if !t.known {
		from, err := t.ask(i)
		return from, true, err
	}
	if from, err := t.cache.lookup(tx); err == nil {
		return from, true, nil
	}
	if t.add(tx, i, r) {
		return common.Address{}, false, nil
	}
	from, err := t.ask(i)
	return from, true, err
}

// ask returns go-ethereum's answer.
func (t *transactions) ask(i int) (common.Address, error) {
	return types.Sender(t.cache.Signer, t.txs[i])
}

// found stores the sender of transaction i in the transaction.
func (t *transactions) found(i int, from common.Address) { t.cache.store(t.txs[i], from) }

// add adds a row for a transaction. It returns false, and adds nothing, if go-ethereum would return
// an error before it recovers a key, and for numbers that valid transactions do not have. A false
// costs time only, because the caller then asks go-ethereum.
func (t *transactions) add(tx *types.Transaction, i int, r *rows) bool {
	kind := tx.Type()
	if kind > t.rules.newest {
		return false
	}
	one := types.Transactions(t.txs[i : i+1])
	if tx.BlobTxSidecar() != nil {
		one = types.Transactions{tx.WithoutBlobTxSidecar()}
	}
	t.buf.Reset()
	one.EncodeIndex(0, &t.buf) // writes no list if tx has a negative number
	var parts wire.Transaction
	if parts.Decode(t.buf.Bytes()) != nil || parts.YParity > 1 {
		return false
	}
	if parts.Protected && (!t.rules.eip155 || parts.LongChainID || parts.ChainID != t.rules.id) {
		return false
	}
	r.payload = parts.AppendSigningPayload(r.payload)
	r.add(i, parts.R, parts.S, parts.YParity)
	return true
}

// A cache is a signer that puts a known sender into a transaction. types.Sender stores the signer
// that it was called with, and calls the stored signer's Equal in later calls. So transactions keep
// a cache in memory: it must not refer to other transactions. Only one goroutine uses the fields
// from and known. Others call Equal, which does not read them.
type cache struct {
	types.Signer
	from  common.Address
	known bool
}

var errUnknown = errors.New("ethereum: the sender is not known")

// lookup returns the sender that a cache with an equal signer has stored in tx.
func (c *cache) lookup(tx *types.Transaction) (common.Address, error) {
	return types.Sender(c, tx)
}

// store stores the sender of tx in tx.
func (c *cache) store(tx *types.Transaction, from common.Address) {
	c.from, c.known = from, true
	types.Sender(c, tx)
	c.known = false
}

// Sender implements types.Signer for lookup and store.
func (c *cache) Sender(*types.Transaction) (common.Address, error) {
	if !c.known {
		return common.Address{}, errUnknown
	}
	return c.from, nil
}

// Equal implements types.Signer. A cache is equal to a signer, or to another cache, if their
// signers are equal.
func (c *cache) Equal(other types.Signer) bool {
	if o, ok := other.(*cache); ok {
		other = o.Signer
	}
	return c.Signer.Equal(other)
}
