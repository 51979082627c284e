package ethereum

import (
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// slowly parses a list with the RLP library, as the package does when split fails.
func slowly(kind txType, list []byte) (g signature, unsigned []byte, err error) {
	body := kind.body()
	if err := rlp.DecodeBytes(list, body); err != nil {
		return g, nil, err
	}
	g.set(body)
	unsigned, err = withoutSignature(list, body.fields())
	return g, unsigned, err
}

// TestSplit checks that split accepts every valid transaction, with the same result as the RLP
// library. It must accept a mutated transaction only if the library does.
func TestSplit(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	split := 0
	for i, tx := range samples(t, 1) {
		raw := envelope(t, tx)
		kind, list := txType(tx.Type()), raw
		if kind != legacy {
			list = raw[1:]
		}
		compare := func(list []byte, must bool) {
			var g signature
			unsigned, ok := g.split(kind, list)
			if !ok {
				if must {
					t.Errorf("transaction %d, type %d: not split", i, kind)
				}
				return
			}
			split++
			want, rest, err := slowly(kind, list)
			if err != nil || g != want || string(unsigned) != string(rest) {
				t.Errorf("transaction %d: %x: %+v, %x, want %+v, %x, %v", i, list, g, unsigned, want, rest, err)
			}
		}
		compare(list, true)
		compare(append(list[:len(list):len(list)], 0x80), false)
		for at := range list {
			changed := append([]byte(nil), list...)
			for _, c := range []byte{0x00, 0x7f, 0x80, 0x81, 0xb8, 0xc0, 0xc1, byte(source.Uint32())} {
				changed[at] = c
				compare(changed, false)
			}
			compare(list[:at], false)
		}
	}
	if split < 5_000 {
		t.Errorf("only %d lists were split", split)
	}
}

// TestLongNumbers checks that numbers that are too long for the fields of a signature are not taken
// for shorter numbers.
func TestLongNumbers(t *testing.T) {
	two := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	for _, c := range []struct {
		body txBody
		want func(g *signature) bool
	}{
		{&legacyTx{V: two(300), R: two(0), S: two(0)}, func(g *signature) bool {
			return g.named && g.chainBits == 299 && !g.is(0) && g.chainText() == "of 299 bits" && g.v <= 1
		}},
		{&legacyTx{V: two(255), R: two(0), S: two(0)}, func(g *signature) bool {
			return g.named && g.chainBits == 0 && !g.is(0) && g.v == 1 && !g.long
		}},
		{&legacyTx{V: big.NewInt(28), R: two(256), S: two(0)}, func(g *signature) bool {
			return !g.named && g.long && g.v == 1
		}},
		{&legacyTx{V: big.NewInt(27), R: two(0), S: two(256)}, func(g *signature) bool {
			return !g.named && g.long && g.v == 0
		}},
		{&legacyTx{V: big.NewInt(26), R: two(0), S: two(0)}, func(g *signature) bool { return g.v > 1 }},
		{&accessListTx{ChainID: two(256), V: two(64), R: two(0), S: two(0)}, func(g *signature) bool {
			return g.chainBits == 257 && g.v > 1
		}},
		{&accessListTx{ChainID: two(64), V: two(0), R: two(0), S: two(0)}, func(g *signature) bool {
			return g.chainBits == 0 && !g.is(0) && g.v == 1 && g.chainText() == two(64).String()
		}},
	} {
		var g signature
		if g.set(c.body); !c.want(&g) {
			t.Errorf("%+v: %+v", c.body, g)
		}
	}
}

// An rlpNode is an RLP string or a list of rlpNodes.
type rlpNode struct {
	text []byte
	list []*rlpNode // nil for a string
}

func parseNodes(content []byte) (all []*rlpNode) {
	all = []*rlpNode{}
	for len(content) > 0 {
		kind, item, rest, err := rlp.Split(content)
		if err != nil {
			panic(err) // unreachable: the transaction is valid
		}
		n := &rlpNode{text: item}
		if kind == rlp.List {
			n = &rlpNode{list: parseNodes(item)}
		}
		all, content = append(all, n), rest
	}
	return all
}

func (n *rlpNode) EncodeRLP(w io.Writer) error {
	if n.list != nil {
		return rlp.Encode(w, n.list)
	}
	return rlp.Encode(w, n.text)
}

// eachNode calls visit with a pointer to every node in the trees of list.
func eachNode(list []*rlpNode, visit func(at **rlpNode)) {
	for i := range list {
		visit(&list[i])
		if list[i].list != nil {
			eachNode(list[i].list, visit)
		}
	}
}

// TestSplitLengths replaces each item of a transaction of each type by strings of all relevant
// lengths and by lists. It checks that split accepts nothing that the RLP library refuses.
func TestSplitLengths(t *testing.T) {
	source := rand.New(rand.NewPCG(3, 4))
	var others []*rlpNode
	for _, size := range []int{0, 1, 2, 7, 8, 9, 19, 20, 21, 31, 32, 33, 55, 56, 300} {
		for _, first := range []byte{0, 1, 0x7f, 0xff} {
			text := make([]byte, size)
			for i := range text {
				text[i] = byte(source.Uint32())
			}
			if size > 0 {
				text[0] = first
			}
			others = append(others, &rlpNode{text: text})
		}
	}
	one := &rlpNode{text: []byte{1}}
	others = append(others, &rlpNode{list: []*rlpNode{}}, &rlpNode{list: []*rlpNode{one}})
	split, refused := 0, 0
	r := Mainnet.rulesAt(latest, latest)
	for i, tx := range samples(t, 1) {
		raw := envelope(t, tx)
		kind, list := txType(tx.Type()), raw
		if kind != legacy {
			list = raw[1:]
		}
		content, _, err := rlp.SplitList(list)
		if err != nil {
			t.Fatal(err)
		}
		tree := parseNodes(content)
		eachNode(tree, func(at **rlpNode) {
			good := *at
			for _, other := range others {
				*at = other
				changed, err := rlp.EncodeToBytes(tree)
				if err != nil {
					t.Fatal(err)
				}
				var g signature
				unsigned, ok := g.split(kind, changed)
				want, rest, err := slowly(kind, changed)
				switch {
				case !ok && err != nil:
					refused++
				case ok && (err != nil || g != want || string(unsigned) != string(rest)):
					t.Errorf("transaction %d: %x: %+v, want %+v, %v", i, changed, g, want, err)
				case ok:
					split++
				}
				if i%4 == 0 {
					whole := append(slices.Clone(raw[:len(raw)-len(list)]), changed...)
					agree(t, "a length", whole, r, types.NewPragueSigner(big.NewInt(1)))
				}
			}
			*at = good
		})
	}
	if split < 1000 || refused < 1000 {
		t.Errorf("%d split, %d refused", split, refused)
	}
}

// TestModulo checks that numbers of more than 256 bits are not truncated to their low 256 bits.
func TestModulo(t *testing.T) {
	one := big.NewInt(1)
	two64 := new(big.Int).Lsh(one, 64)
	long := new(big.Int).Add(new(big.Int).Lsh(one, 256), one)
	for name, c := range map[string]struct {
		tx   accessListTx
		want string
	}{
		"chain": {accessListTx{ChainID: long, V: one, R: one, S: one}, "signed for chain of 257 bits"},
		"v":     {accessListTx{ChainID: one, V: two64, R: one, S: one}, "parity of y"},
		"r":     {accessListTx{ChainID: one, V: one, R: long, S: one}, "more than 256 bits"},
		"s":     {accessListTx{ChainID: one, V: one, R: one, S: long}, "more than 256 bits"},
	} {
		c.tx.GasPrice, c.tx.Value = one, one
		list, err := rlp.EncodeToBytes(&c.tx)
		if err != nil {
			t.Fatal(err)
		}
		u := unitOf(append([]byte{byte(accessList)}, list...), Mainnet.rulesAt(latest, latest))
		if u.Decided == rows.Unchecked || !strings.Contains(u.Reason, c.want) {
			t.Errorf("%s: %v, %q", name, u.Decided, u.Reason)
		}
	}
}

// TestParities checks the parity that a signature gets from its v. In a typed transaction a v of
// 2^64 must not be taken for 0. In a legacy transaction only v = 27, v = 28 and v ≥ 35 may give the
// parity 0 or 1.
func TestParities(t *testing.T) {
	var g signature
	var chain, v, r, s uint256.Int
	v.Lsh(uint256.NewInt(1), 64)
	if g.setTyped(&chain, &v, &r, &s); g.v <= 1 {
		t.Errorf("2^64 is %d", g.v)
	}
	for _, c := range []struct{ v, parity uint64 }{{0, 2}, {1, 2}, {26, 2}, {27, 0}, {28, 1}, {29, 2},
		{34, 7}, {35, 0}, {36, 1}, {37, 0}} {
		g.setLegacy(uint256.NewInt(c.v), &r, &s)
		if g.v != c.parity || g.named != (c.v >= 35) {
			t.Errorf("v of %d: %+v", c.v, g)
		}
	}
}
