package ethereum

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/hashing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/hashes"
)

// A txType is the first byte of an encoded transaction (EIP-2718). Legacy transactions have no such
// byte.
type txType byte

const (
	//layers:allow the number that JSON-RPC uses
	legacy     txType = iota
	accessList        // EIP-2930
	dynamicFee        // EIP-1559
	blob              // EIP-4844
	setCode           // EIP-7702
)

var kinds = [...]string{"legacy", "EIP-2930", "EIP-1559", "EIP-4844", "EIP-7702"}

// body returns a new struct with the fields of a transaction of type t, into which the RLP library
// can decode.
func (t txType) body() txBody {
	switch t {
	case accessList:
		return new(accessListTx)
	case dynamicFee:
		return new(dynamicFeeTx)
	case blob:
		return new(blobTx)
	case setCode:
		return new(setCodeTx)
	}
	return new(legacyTx)
}

// A txBody has the fields of a transaction in encoding order. The last three are the signature.
type txBody interface {
	fields() int
	// signature returns the chain ID and the signature. chain is nil if the transaction names none.
	// v is the parity of y, 0 or 1; any other value is invalid.
	signature() (chain, v, r, s *big.Int)
}

type legacyTx struct {
	Nonce    uint64
	GasPrice *big.Int
	Gas      uint64
	To       *common.Address `rlp:"nil"` // nil if the transaction creates a contract
	Value    *big.Int
	Data     []byte
	V, R, S  *big.Int
}

type accessTuple struct {
	Address     common.Address
	StorageKeys []common.Hash
}

type accessListTx struct {
	ChainID    *big.Int
	Nonce      uint64
	GasPrice   *big.Int
	Gas        uint64
	To         *common.Address `rlp:"nil"`
	Value      *big.Int
	Data       []byte
	AccessList []accessTuple
	V, R, S    *big.Int
}

type dynamicFeeTx struct {
	ChainID    *big.Int
	Nonce      uint64
	GasTipCap  *big.Int
	GasFeeCap  *big.Int
	Gas        uint64
	To         *common.Address `rlp:"nil"`
	Value      *big.Int
	Data       []byte
	AccessList []accessTuple
	V, R, S    *big.Int
}

type blobTx struct {
	ChainID    *uint256.Int
	Nonce      uint64
	GasTipCap  *uint256.Int
	GasFeeCap  *uint256.Int
	Gas        uint64
	To         common.Address
	Value      *uint256.Int
	Data       []byte
	AccessList []accessTuple
	BlobFeeCap *uint256.Int
	BlobHashes []common.Hash
	V, R, S    *uint256.Int
}

type authorization struct {
	ChainID uint256.Int
	Address common.Address
	Nonce   uint64
	V       uint8
	R, S    uint256.Int
}

type setCodeTx struct {
	ChainID    *uint256.Int
	Nonce      uint64
	GasTipCap  *uint256.Int
	GasFeeCap  *uint256.Int
	Gas        uint64
	To         common.Address
	Value      *uint256.Int
	Data       []byte
	AccessList []accessTuple
	AuthList   []authorization
	V, R, S    *uint256.Int
}

func (t *legacyTx) fields() int     { return 9 }
func (t *accessListTx) fields() int { return 11 }
func (t *dynamicFeeTx) fields() int { return 12 }
func (t *blobTx) fields() int       { return 14 }
func (t *setCodeTx) fields() int    { return 13 }

// signature derives the chain ID from v (EIP-155). chain is nil if v encodes none.
func (t *legacyTx) signature() (chain, v, r, s *big.Int) {
	if t.V.Cmp(big.NewInt(35)) < 0 {
		return nil, new(big.Int).Sub(t.V, big.NewInt(27)), t.R, t.S
	}
	v = new(big.Int).Sub(t.V, big.NewInt(35))
	parity := big.NewInt(int64(v.Bit(0)))
	return v.Rsh(v, 1), parity, t.R, t.S
}

func (t *accessListTx) signature() (chain, v, r, s *big.Int) { return t.ChainID, t.V, t.R, t.S }
func (t *dynamicFeeTx) signature() (chain, v, r, s *big.Int) { return t.ChainID, t.V, t.R, t.S }
func (t *blobTx) signature() (chain, v, r, s *big.Int) {
	return t.ChainID.ToBig(), t.V.ToBig(), t.R.ToBig(), t.S.ToBig()
}
func (t *setCodeTx) signature() (chain, v, r, s *big.Int) {
	return t.ChainID.ToBig(), t.V.ToBig(), t.R.ToBig(), t.S.ToBig()
}

// An expander turns transactions into rows.Units in two steps: read parses one, and finish
// completes its rows.Unit when all hashes have been computed.
type expander struct {
	*hashing.Hasher
	emit func(*rows.Unit)
	*item

	// The values below are reused for each transaction.
	sig  signature
	json txJSON
}

// An item is the state of one transaction, or of a block as a whole, between the calls of
// expander.read and expander.finish.
type item struct {
	unit  rows.Unit
	raw   []byte // EIP-2718 encoding of the transaction until it is parsed; or nil
	known bool   // the hash in id is set
	id    [32]byte
	named string // hash that the transaction states in JSON, or ""
	sums  *txSum // data of the transaction that its block needs; may be nil
}

func newExpander(emit func(*rows.Unit)) *expander {
	return &expander{Hasher: hashing.New(hashes.AppendKeccak256), emit: emit, item: new(item)}
}

// begin empties the expander's rows.Unit and sets its position.
func (x *expander) begin(where rows.Where) {
	*x.item = item{unit: rows.Unit{Where: where, Scheme: rows.Recover,
		Signatures: x.unit.Signatures[:0]}}
}

// finish completes the parts of the expander's rows.Unit that depend on the transaction's hash.
func (x *expander) finish() {
	if !x.known {
		return
	}
	u := &x.unit
	u.Where.Tx = "0x" + hex.EncodeToString(x.id[:])
	if x.named != "" && x.named != u.Where.Tx {
		u.Signatures = u.Signatures[:0]
		x.decide(rows.Invalid, "the fields of the transaction hash to %s", u.Where.Tx)
		u.Where.Tx = x.named
	}
}

func (x *expander) decide(v rows.Verdict, format string, args ...any) {
	x.unit.Decided, x.unit.Reason = v, fmt.Sprintf(format, args...)
}

// encoded fills in the expander's rows.Unit from raw, a transaction in its EIP-2718 encoding.
func (x *expander) encoded(raw []byte, r *rules) {
	u := &x.unit
	x.hashed(raw)
	if len(raw) == 0 {
		x.decide(rows.Malformed, "an empty transaction")
		return
	}
	kind, list := legacy, raw
	if raw[0] < 0xc0 {
		kind, list = txType(raw[0]), raw[1:]
	}
	if kind > setCode || kind == legacy && raw[0] < 0xc0 {
		x.unknown(uint64(kind))
		return
	}
	u.Kind = kinds[kind]
	if !listsFit(list) {
		x.decide(rows.Malformed, "a transaction of more than %d elements in a list", maxItems)
		return
	}
	if unsigned, ok := x.sig.split(kind, list); ok {
		x.signed(raw[:len(raw)-len(list)], unsigned, kind, r)
		return
	}
	body := kind.body()
	if err := rlp.DecodeBytes(list, body); err != nil {
		x.decide(rows.Malformed, "%s", reason(err))
		return
	}
	unsigned, err := withoutSignature(list, body.fields())
	if err != nil {
		x.decide(rows.Malformed, "%s", reason(err))
		return
	}
	x.sig.set(body)
	x.signed(raw[:len(raw)-len(list)], unsigned, kind, r)
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

// signed fills in the signature of the expander's rows.Unit from x.sig. The signed message is
// prefix followed by an RLP list that starts with the items in unsigned.
func (x *expander) signed(prefix, unsigned []byte, kind txType, r *rules) {
	u, g := &x.unit, &x.sig
	switch {
	case !g.named: // a legacy transaction, valid on every chain
	case !g.is(r.chain):
		x.decide(rows.Invalid, "signed for chain %s, and the rules are those of chain %d (--network)",
			g.chainText(), r.chain)
		return
	case kind > r.newest:
		x.decide(rows.Invalid,
			"a transaction of type %d in a block before the first one that may have it", kind)
		return
	case kind == legacy && !r.eip155:
		x.decide(rows.Invalid, "v says the chain, in a block before EIP-155")
		return
	}
	if g.v > 1 {
		x.decide(rows.Malformed, "v, or the parity of y, is not one of the two numbers that it may be")
		return
	}
	if g.long {
		x.decide(rows.Malformed, "r or s has more than 256 bits")
		return
	}
	var buffer [16]byte
	rest := buffer[:0]
	if kind == legacy && g.named {
		// EIP-155: the chain ID and two zeros replace v, r and s.
		rest = append(rlp.AppendUint64(rest, r.chain), 0x80, 0x80)
	}
	sig := make([]byte, 65)
	g.r.PutUint256(sig[:32])
	g.s.PutUint256(sig[32:64])
	sig[64] = byte(g.v)
	u.LowS = r.lowS
	u.Signatures = append(u.Signatures, rows.Signature{Sig: sig})
	var head [9]byte
	x.laterOf(&u.Signatures[0].Digest, prefix, appendHead(head[:0], 0xc0, len(unsigned)+len(rest)),
		unsigned, rest)
}

func (x *expander) unknown(kind uint64) {
	x.decide(rows.NotCheckable, "a transaction of type %d, which nothing here knows", kind)
}

// withoutSignature returns the content of a list of n items without the last three items, which are
// v, r and s.
func withoutSignature(list []byte, n int) ([]byte, error) {
	content, _, err := rlp.SplitList(list)
	if err != nil {
		return nil, err
	}
	rest := content
	for range n - 3 {
		if _, _, rest, err = rlp.Split(rest); err != nil {
			return nil, err
		}
	}
	return content[:len(content)-len(rest)], nil
}

// reason returns the text of an RLP library error without Go type names.
func reason(err error) string {
	text := strings.TrimPrefix(err.Error(), "rlp: ")
	if what, where, ok := strings.Cut(text, ", decoding into ("); ok {
		_, field, _ := strings.Cut(where, ").")
		return "RLP: " + what + ", in " + field
	}
	what, _, _ := strings.Cut(text, " for ethereum.")
	return "RLP: " + what
}
