package nodejson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// blockFields holds the fields of a getblock response other than the transactions.
type blockFields struct {
	Hash       string  `json:"hash"`
	MerkleRoot string  `json:"merkleroot"`
	Prev       string  `json:"previousblockhash"`
	Bits       string  `json:"bits"`
	VersionHex *string `json:"versionHex"`
	Target     *string `json:"target"`
	Height     *int32  `json:"height"`
	Version    *int64  `json:"version"`
	Time       *uint32 `json:"time"`
	Nonce      *uint32 `json:"nonce"`
	NTx        *int    `json:"nTx"`
	Stripped   *int    `json:"strippedsize"`
	Size       *int    `json:"size"`
	Weight     *int    `json:"weight"`
}

// header returns the block header that is made of the fields in JSON. It computes the header's hash
// instead of using the field "hash".
func (f *blockFields) header() (h wireform.Header, err error) {
	if f.Hash == "" || f.Height == nil || f.Version == nil || f.MerkleRoot == "" || f.Time == nil ||
		f.Nonce == nil || f.Bits == "" {
		return h, errors.New(`"hash", "height", "version", "merkleroot", "time", "nonce" and "bits" ` +
			`of the block must stand before "tx", as Bitcoin Core prints them`)
	}
	if *f.Height < 0 {
		return h, fmt.Errorf("height %d", *f.Height)
	}
	bits, err := strconv.ParseUint(f.Bits, 16, 32)
	if err != nil || len(f.Bits) != 8 {
		return h, errors.New(`"bits" are eight hex digits`)
	}
	version, err := version32(*f.Version)
	if err != nil {
		return h, err
	}
	prev, err := chainhash.NewHashFromStr(f.Prev) // absent in the genesis block: the hash is zero
	if err != nil {
		return h, errors.New(`"previousblockhash" is no hash`)
	}
	root, err := chainhash.NewHashFromStr(f.MerkleRoot)
	if err != nil {
		return h, errors.New(`"merkleroot" is no hash`)
	}
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(version))
	b = append(append(b, prev[:]...), root[:]...)
	b = le.AppendUint32(b, *f.Time)
	b = le.AppendUint32(b, uint32(bits))
	b = le.AppendUint32(b, *f.Nonce)
	return wireform.ParseHeader(b), nil
}

// version32 converts a version number in JSON. Some releases of Bitcoin Core print a version as a
// signed number and some as an unsigned one.
func version32(v int64) (int32, error) {
	if v < math.MinInt32 || v > math.MaxUint32 {
		return 0, fmt.Errorf("version %d", v)
	}
	return int32(uint32(v)), nil
}

// differs describes the difference between a stated field and the value that it repeats. It returns
// "" if they are equal, or if the field is not stated.
func differs[T comparable](name string, stated *T, is T) string {
	if stated == nil || *stated == is {
		return ""
	}
	return fmt.Sprintf("%q is not %v", name, is)
}

// flaws describes the fields that differ from the header h or from the transactions. txs is the
// number of transactions. stripped is the size of the block in bytes without witnesses, and size
// the size with them.
func (f *blockFields) flaws(h *wireform.Header, txs, stripped, size int) (all []string) {
	if got := h.Hash.String(); got != f.Hash {
		all = append(all, fmt.Sprintf("the header hashes to %s", got))
	}
	t, _ := consensus.Target(h.Bits)
	for _, why := range []string{
		differs("versionHex", f.VersionHex, fmt.Sprintf("%08x", uint32(h.Version))),
		differs("target", f.Target, fmt.Sprintf("%x", t)),
		differs("nTx", f.NTx, txs),
		differs("strippedsize", f.Stripped, stripped),
		differs("size", f.Size, size),
		differs("weight", f.Weight, 3*stripped+size),
	} {
		if why != "" {
			all = append(all, why)
		}
	}
	return all
}

// A blockSum checks a block in JSON as a whole, from sums over its transactions, which several
// goroutines parse. A blockSum follows the block's last transaction in the queue and waits until
// all transactions of the block are parsed. That cannot deadlock, because these transactions are in
// the same batch or in earlier ones, and batches are processed in order.
type blockSum struct {
	network consensus.Network
	header  wireform.Header
	rules   bitcoin.Rules
	where   reading.Where
	fields  blockFields
	seed    maphash.Seed

	txs    []*txSum
	weight atomic.Int64
	read   sync.WaitGroup
}

// A txSum holds the contribution of one transaction to the checks of its block.
type txSum struct {
	read bool
	consensus.BodyTx
	stripped, size int
	outputs        []uint64 // fingerprint of each output
	spends         []claim
}

// A claim says that an input spends the outpoint p. It holds the fingerprint of the output that the
// JSON states for it.
type claim struct {
	p           wire.OutPoint
	fingerprint uint64
}

func newBlockSum(n consensus.Network, h wireform.Header, where reading.Where) *blockSum {
	return &blockSum{network: n, header: h, rules: n.RulesAt(where.Block, h.Hash), where: where,
		seed: maphash.MakeSeed()}
}

// transaction returns a txText for the next transaction. The caller must store the text of the
// transaction in it.
func (s *blockSum) transaction() (*txText, error) {
	if len(s.txs) == wireform.MaxBlockSize/60 {
		return nil, errors.New("more transactions than a block can have")
	}
	t := &txText{of: s, index: len(s.txs), sum: new(txSum)}
	s.txs = append(s.txs, t.sum)
	return t, nil
}

// fingerprint returns a keyed hash of an output. The author of a file does not know the random key,
// so two outputs with the same fingerprint cannot be made on purpose.
func (s *blockSum) fingerprint(amount int64, script []byte) uint64 {
	return maphash.Comparable(s.seed, struct {
		amount int64
		script string
	}{amount, string(script)})
}

// set sets s from a parsed transaction of the block b. first reports whether it is the block's
// first transaction. set keeps no scripts, except those of a coinbase that comes first.
func (s *txSum) set(b *blockSum, tr *units.Transaction, first bool) {
	tx := tr.Tx
	s.read, s.BodyTx = true, consensus.NewBodyTx(tx, tr.ID, tx.WitnessHash(), first)
	s.stripped, s.size = tx.SerializeSizeStripped(), tx.SerializeSize()
	if b.weight.Add(int64(3*s.stripped+s.size)) > wireform.MaxBlockWeight {
		return // the block is invalid; the rest is not needed
	}
	for _, out := range tx.TxOut {
		s.outputs = append(s.outputs, b.fingerprint(out.Value, out.PkScript))
	}
	for i, in := range tx.TxIn {
		if o := &tr.Spent[i]; o.Known {
			s.spends = append(s.spends, claim{in.PreviousOutPoint, b.fingerprint(o.Amount, o.Script)})
		}
	}
}

func (s *blockSum) Rows() int { return 1 }

// Size returns an upper bound in bytes on the memory of the txSums, the data that is kept of each
// transaction. Since a serialized input has at least 41 bytes and an output 9, the txSums take at
// most half the maximum size of a block.
func (s *blockSum) Size() int64 {
	return reading.RowSize + 256*int64(len(s.txs)) + wireform.MaxBlockSize/2
}

// Expand waits for the block's transactions and checks the block as a whole.
func (s *blockSum) Expand(x *units.Expander) {
	s.read.Wait()
	if why := s.flaws(); why != "" {
		units.MalformedBlock(s.where, &s.header, why).Expand(x)
	}
}

func (s *blockSum) flaws() string {
	var b consensus.Body
	stripped, size := wireform.HeaderSize+wire.VarIntSerializeSize(uint64(len(s.txs))), 0
	size = stripped
	for _, t := range s.txs {
		if !t.read {
			return "" // the verdict on the unreadable transaction is reported instead
		}
		b = append(b, t.BodyTx)
		stripped, size = stripped+t.stripped, size+t.size
	}
	if s.weight.Load() > wireform.MaxBlockWeight {
		return fmt.Sprintf("a block that weighs more than %d", wireform.MaxBlockWeight)
	}
	all := s.fields.flaws(&s.header, len(s.txs), stripped, size)
	if why := b.Flaws(s.network, &s.header, s.where.Block); why != "" {
		all = append(all, why)
	}
	if why := s.spendsOwn(); why != "" {
		all = append(all, why)
	}
	return strings.Join(all, "; ")
}

// spendsOwn checks the inputs that spend outputs of the same block: the output that the JSON states
// for the input must be the block's own. It describes the first difference, or returns "".
func (s *blockSum) spendsOwn() string {
	own := make(map[chainhash.Hash]*txSum, len(s.txs))
	for _, t := range s.txs {
		own[t.ID] = t
	}
	for _, t := range s.txs {
		for _, c := range t.spends {
			from := own[c.p.Hash]
			if from == nil {
				continue
			}
			if uint64(c.p.Index) >= uint64(len(from.outputs)) || from.outputs[c.p.Index] != c.fingerprint {
				return fmt.Sprintf("the \"prevout\" of an input of %v is not output %d of %v, which is in "+
					"the block", t.ID, c.p.Index, c.p.Hash)
			}
		}
	}
	return ""
}
