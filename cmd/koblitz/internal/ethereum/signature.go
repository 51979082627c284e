package ethereum

import (
	"fmt"

	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

// A signature is a transaction's signature, together with the chain for which it is signed.
type signature struct {
	r, s uint256.Int
	long bool   // r or s has more than 256 bits
	v    uint64 // parity of y: 0 or 1; any other value is invalid

	named     bool        // the transaction names its chain
	chain     uint256.Int // the chain's ID
	chainBits int         // length of the chain ID in bits if more than 256, or else 0
}

// wrongParity is the value of signature.v if the v of the transaction encodes no parity.
const wrongParity = 2

// setTyped sets g from the fields of a typed transaction. They are numbers of at most 256 bits.
func (g *signature) setTyped(chain, v, r, s *uint256.Int) {
	*g = signature{named: true, chain: *chain, v: v.Uint64(), r: *r, s: *s}
	if !v.IsUint64() {
		g.v = wrongParity
	}
}

// setLegacy sets g from the fields of a legacy transaction. The field v may encode the chain
// (EIP-155).
func (g *signature) setLegacy(v, r, s *uint256.Int) {
	*g = signature{v: wrongParity, r: *r, s: *s}
	switch low := v.Uint64(); {
	case !v.LtUint64(35):
		g.named = true
		g.chain.SubUint64(v, 35)
		g.v = g.chain.Uint64() & 1
		g.chain.Rsh(&g.chain, 1)
	case low >= 27:
		g.v = low - 27
	}
}

// set sets g from a transaction that the RLP library has decoded. Numbers in body may have any
// length.
func (g *signature) set(body txBody) {
	chain, v, r, s := body.signature()
	*g = signature{v: wrongParity}
	if v.Sign() >= 0 && v.IsUint64() {
		g.v = v.Uint64()
	}
	long, longer := g.r.SetFromBig(r), g.s.SetFromBig(s)
	g.long = long || longer
	if g.named = chain != nil; g.named && g.chain.SetFromBig(chain) {
		g.chainBits = chain.BitLen()
	}
}

// is reports whether the transaction is signed for the chain with the given ID.
func (g *signature) is(chain uint64) bool {
	return g.chainBits == 0 && g.chain.IsUint64() && g.chain.Uint64() == chain
}

// chainText returns the chain ID as text, shortened if it is very long.
func (g *signature) chainText() string {
	if g.chainBits > 0 {
		return fmt.Sprintf("of %d bits", g.chainBits)
	}
	return g.chain.Dec()
}

// layouts lists, for each transaction type, the fields before v, r and s, one letter a field: n is
// a number of at most 64 bits, N one of at most 256 bits, t an optional address, A an address, d
// bytes, l an access list, h a list of hashes and u a list of authorizations.
var layouts = [...]string{
	legacy:     "nNntNd",
	accessList: "NnNntNdl",
	dynamicFee: "NnNNntNdl",
	blob:       "NnNNnANdlNh",
	setCode:    "NnNNnANdlu",
}

// split sets g from list, an encoded transaction of type kind, and returns the items before v, r
// and s. It returns false if the list is malformed or has numbers of more than 256 bits. The caller
// must then use the RLP library, which decides whether the list is valid and gives the reason if
// not.
func (g *signature) split(kind txType, list []byte) (unsigned []byte, ok bool) {
	content, rest, err := rlp.SplitList(list)
	if err != nil || len(rest) > 0 {
		return nil, false
	}
	var chain, v, r, s uint256.Int
	rest = content
	for i, field := range []byte(layouts[kind]) {
		var value []byte
		if value, rest, ok = splitField(field, rest); !ok {
			return nil, false
		}
		if i == 0 && kind != legacy {
			chain.SetBytes(value)
		}
	}
	unsigned = content[:len(content)-len(rest)]
	for _, to := range []*uint256.Int{&v, &r, &s} {
		var value []byte
		if value, rest, ok = splitField('N', rest); !ok {
			return nil, false
		}
		to.SetBytes(value)
	}
	if len(rest) > 0 {
		return nil, false
	}
	if kind == legacy {
		g.setLegacy(&v, &r, &s)
	} else {
		g.setTyped(&chain, &v, &r, &s)
	}
	return unsigned, true
}

// splitField returns the content of the first item in b, and the bytes after the item. field is the
// kind of the item, one of the letters that layouts explains. ok is false if the item is not of
// that kind.
func splitField(field byte, b []byte) (value, rest []byte, ok bool) {
	kind, value, rest, err := rlp.Split(b)
	if err != nil || (kind == rlp.List) != (field == 'l' || field == 'h' || field == 'u') {
		return nil, nil, false
	}
	switch field {
	case 'n':
		ok = len(value) <= 8 && (len(value) == 0 || value[0] != 0)
	case 'N':
		ok = len(value) <= 32 && (len(value) == 0 || value[0] != 0)
	case 't':
		ok = len(value) == 20 || len(value) == 0
	case 'A':
		ok = len(value) == 20
	case 'd':
		ok = true
	case 'H':
		ok = len(value) == 32
	case 'l':
		ok = each(value, "Ah")
	case 'h':
		for ok = true; ok && len(value) > 0; {
			_, value, ok = splitField('H', value)
		}
	case 'u':
		ok = each(value, "NAnvNN")
	case 'v':
		ok = len(value) <= 1 && (len(value) == 0 || value[0] != 0)
	}
	return value, rest, ok
}

// each reports whether every item of list is itself a list of the given fields. Each byte of fields
// is the kind of one field, a letter as in layouts.
func each(list []byte, fields string) (ok bool) {
	for len(list) > 0 {
		item, rest, err := rlp.SplitList(list)
		if err != nil {
			return false
		}
		for _, field := range []byte(fields) {
			if _, item, ok = splitField(field, item); !ok {
				return false
			}
		}
		if len(item) > 0 {
			return false
		}
		list = rest
	}
	return true
}
