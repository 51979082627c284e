package ethereum

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"
)

// slowly takes a list apart as it is done where split does not.
func slowly(kind txType, list []byte) (g signature, unsigned []byte, err error) {
	body := kind.body()
	if err := rlp.DecodeBytes(list, body); err != nil {
		return g, nil, err
	}
	g.set(body)
	unsigned, err = withoutSignature(list, body.fields())
	return g, unsigned, err
}

// TestSplit: every transaction as it should be is split without the RLP library's decoder, with
// the same result. What is changed anywhere is split only if the decoder takes it, too.
func TestSplit(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	split := 0
	for i, tx := range samples(t, 1) {
		raw := binary(t, tx)
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

// TestLongNumbers: numbers for which there is no room in a signature are told apart.
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
