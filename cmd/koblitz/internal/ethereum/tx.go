package ethereum

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
	"github.com/koblitz-go/koblitz/hashes"
)

// kinds are the names of the transaction types in reports.
var kinds = [...]string{"legacy", "EIP-2930", "EIP-1559", "EIP-4844", "EIP-7702"}

// An expander turns transactions into reading.Units in two steps: read parses one, and finish
// completes its reading.Unit when all hashes have been computed.
type expander struct {
	*reading.Hasher
	emit func(*reading.Unit)
	*item

	// The values below are reused for each transaction.
	tx   wire.Transaction
	json txJSON
}

// An item is the state of one transaction, or of a block as a whole, between the calls of
// expander.read and expander.finish.
type item struct {
	unit  reading.Unit
	raw   []byte // EIP-2718 encoding of the transaction until it is parsed; or nil
	known bool   // the hash in id is set
	id    [32]byte
	named string // hash that the transaction states in JSON, or ""
	sums  *txSum // data of the transaction that its block needs; may be nil
}

func newExpander(emit func(*reading.Unit)) *expander {
	return &expander{Hasher: reading.NewHasher(hashes.AppendKeccak256), emit: emit, item: new(item)}
}

// begin empties the expander's reading.Unit and sets its position.
func (x *expander) begin(where reading.Where) {
	*x.item = item{unit: reading.Unit{Where: where, Scheme: reading.Recover,
		Signatures: x.unit.Signatures[:0]}}
}

// finish completes the parts of the expander's reading.Unit that depend on the transaction's hash.
func (x *expander) finish() {
	if !x.known {
		return
	}
	u := &x.unit
	u.Where.Tx = "0x" + hex.EncodeToString(x.id[:])
	if x.named != "" && x.named != u.Where.Tx {
		u.Signatures = u.Signatures[:0]
		x.decide(reading.Invalid, "the fields of the transaction hash to %s", u.Where.Tx)
		u.Where.Tx = x.named
	}
}

func (x *expander) decide(v reading.Verdict, format string, args ...any) {
	x.unit.Decided, x.unit.Reason = v, fmt.Sprintf(format, args...)
}

// encoded fills in the expander's reading.Unit from raw, a transaction in its EIP-2718 encoding.
func (x *expander) encoded(raw []byte, r *rules) {
	u := &x.unit
	x.hashed(raw)
	if len(raw) == 0 {
		x.decide(reading.Malformed, "an empty transaction")
		return
	}
	switch err := x.tx.Decode(raw); {
	case errors.Is(err, wire.ErrType):
		x.decide(reading.NotCheckable, "a transaction of type %d, which nothing here knows", x.tx.Type)
	case err != nil:
		u.Kind = kinds[x.tx.Type]
		x.decide(reading.Malformed, "%s", reason(err))
	default:
		u.Kind = kinds[x.tx.Type]
		x.signed(r)
	}
}

// hashed schedules the hash of the encoded transaction raw.
func (x *expander) hashed(raw []byte) {
	x.raw, x.known = raw, true
	if len(raw) > maxTogether {
		x.id = keccak256(raw)
		return
	}
	x.Later(&x.id, raw)
}

// signed fills in the signature of the expander's reading.Unit, which is that of x.tx.
func (x *expander) signed(r *rules) {
	u, tx := &x.unit, &x.tx
	switch {
	case !tx.Protected: // a legacy transaction, valid on every chain
	case tx.LongChainID:
		x.decide(reading.Invalid, "signed for a chain whose ID has more than 64 bits, and the rules are "+
			"those of chain %d (--network)", r.chain)
		return
	case tx.ChainID != r.chain:
		x.decide(reading.Invalid, "signed for chain %d, and the rules are those of chain %d (--network)",
			tx.ChainID, r.chain)
		return
	case tx.Type > r.newest:
		x.decide(reading.Invalid,
			"a transaction of type %d in a block before the first one that may have it", tx.Type)
		return
	case tx.Type == wire.Legacy && !r.eip155:
		x.decide(reading.Invalid, "v says the chain, in a block before EIP-155")
		return
	}
	if tx.YParity == wire.NoParity {
		x.decide(reading.Malformed, "v, or the parity of y, is not one of the two numbers that it may be")
		return
	}
	sig := make([]byte, 65)
	copy(sig[32-len(tx.R):], tx.R)
	copy(sig[64-len(tx.S):], tx.S)
	sig[64] = tx.YParity
	u.LowS = r.lowS
	u.Signatures = append(u.Signatures, reading.Signature{Sig: sig})
	digest := &u.Signatures[0].Digest
	if len(tx.Unsigned) > maxTogether {
		*digest = keccak256(tx.AppendSigningPayload(nil))
		return
	}
	begin := len(x.Copies)
	x.Copies = tx.AppendSigningPayload(x.Copies)
	x.Later(digest, x.Copies[begin:len(x.Copies):len(x.Copies)])
}

// reason returns the text of an error in RLP.
func reason(err error) string { return "RLP: " + strings.TrimPrefix(err.Error(), "rlp: ") }
