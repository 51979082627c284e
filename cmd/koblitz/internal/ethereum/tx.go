package ethereum

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// kinds are the names of the transaction types in reports.
var kinds = [...]string{"legacy", "EIP-2930", "EIP-1559", "EIP-4844", "EIP-7702"}

// An item is a transaction, parsed.
type item struct {
	unit    reading.Unit
	raw     []byte // EIP-2718 encoding; nil if it is unknown
	message []byte // what is signed; nil if the signature is not judged
	named   string // hash that the transaction states in JSON, or ""
}

// finish completes the parts of the reading.Unit that depend on the hashes of raw and message.
func (i *item) finish(id, digest *[32]byte) {
	u := &i.unit
	if i.raw == nil {
		return
	}
	u.Where.Tx = "0x" + hex.EncodeToString(id[:])
	if len(u.Signatures) > 0 {
		u.Signatures[0].Digest = *digest
	}
	if i.named != "" && i.named != u.Where.Tx {
		i.decide(reading.Invalid, "the fields of the transaction hash to %s", u.Where.Tx)
		u.Where.Tx = i.named
	}
}

// decide sets the verdict and its reason.
func (i *item) decide(v reading.Verdict, format string, args ...any) {
	i.unit.Signatures = nil
	i.unit.Decided, i.unit.Reason = v, fmt.Sprintf(format, args...)
}

// An expander parses the transactions of a block into items.
type expander struct {
	*block
	*item // the item of the transaction that is parsed

	tx   wire.Transaction
	json txJSON
}

// read parses a transaction: an item of a list in RLP, or a value in JSON.
func (x *expander) read(text []byte) {
	var raw data
	switch {
	case !x.isJSON && text[0] >= 0xc0: // a legacy transaction
		raw = text
	case !x.isJSON:
		raw, _, _ = wire.SplitString(text) // splitItems has returned its errors
		if len(raw) > 0 && raw[0] >= 0xc0 {
			x.decide(reading.Malformed, "a list, as a legacy transaction is, inside of a string")
			return
		}
	case text[0] == '{':
		x.object(text)
		return
	case !x.lone:
		x.decide(reading.Malformed, "a transaction is wanted, an object, not %s", reading.Quote(text))
		return
	default:
		if err := raw.UnmarshalJSON(text); err != nil {
			x.decide(reading.Malformed, "%v", err)
			return
		}
	}
	x.encoded(raw)
}

// encoded fills in the item from raw, a transaction in its EIP-2718 encoding.
func (x *expander) encoded(raw []byte) {
	u := &x.unit
	if len(raw) > maxTransaction {
		x.decide(reading.Malformed, "%d bytes, more than the %d that a transaction can have", len(raw),
			maxTransaction)
		return
	}
	x.raw = raw
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
		x.signed()
	}
}

// signed fills in the signature of the item, which is that of x.tx.
func (x *expander) signed() {
	u, tx, r := &x.unit, &x.tx, &x.rules
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
	u.Signatures = []reading.Signature{{Sig: sig}}
	x.message = tx.AppendSigningPayload(nil)
}

// reason returns the text of an error in RLP.
func reason(err error) string { return "RLP: " + strings.ReplaceAll(err.Error(), "rlp: ", "") }
