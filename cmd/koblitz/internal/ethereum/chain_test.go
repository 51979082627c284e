package ethereum

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// chainTxs returns one transaction for each letter: of mainnet (m), of two other chains (a, b) or
// without a chain (u).
func chainTxs(t testing.TB, letters string) (txs []*types.Transaction) {
	t.Helper()
	of := map[rune]*types.Transaction{'m': samples(t, 1)[4], 'a': samples(t, 17000)[2],
		'b': samples(t, 6)[6], 'u': samples(t, 1)[0]}
	for _, letter := range letters {
		txs = append(txs, of[letter])
	}
	return txs
}

// chainFiles returns readers of a file with the transactions that chainTxs returns for letters, in
// every format. One variant has all transactions in one block, another has one block for each.
func chainFiles(t testing.TB, letters string) map[string]reading.Reader {
	var objects, strs []string
	one := &payload{number: 23000000, time: 1753000000, txs: chainTxs(t, letters)}
	var many []byte
	var parent common.Hash
	for i, tx := range one.txs {
		object, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, string(object))
		strs = append(strs, fmt.Sprintf(`"0x%x"`, envelope(t, tx)))
		p := &payload{number: one.number + uint64(i), time: one.time, parent: parent,
			txs: one.txs[i : i+1]}
		many, parent = append(many, p.rlp(t)...), p.block().Hash()
	}
	block := func(list []string) reading.Reader {
		return JSON(source("f", []byte(`{"number":"0x15ef3c0","timestamp":"0x687cc440","transactions":[`+
			strings.Join(list, ",")+"]}")), onMainnet)
	}
	late := JSON(source("f", []byte(`{"transactions":[`+strings.Join(objects, ",")+
		`],"number":"0x15ef3c0","timestamp":"0x687cc440"}`)), onMainnet)
	return map[string]reading.Reader{
		"RLP":                   RLP(source("f", one.rlp(t)), onMainnet),
		"RLP, a block for each": RLP(source("f", many), onMainnet),
		"JSON":                  block(objects), "JSON, number last": late,
		"transactions": Transactions(source("f", []byte(strings.Join(objects, "\n"))), onMainnet),
		"encoded":      Transactions(source("f", []byte(strings.Join(strs, "\n"))), onMainnet),
	}
}

// TestOtherChain checks that a file of another chain is refused as a whole, and that a single
// transaction of another chain gives one invalid row.
func TestOtherChain(t *testing.T) {
	for _, test := range []struct {
		letters string
		rows    int // rows before a refusal; -1 if the file is not refused
	}{
		{"aa", 0}, {"aaaaaaa", 0}, {"bb", 0}, {"uaa", 1}, {"uauaum", 1}, {"uuuuuaa", 5},
		{strings.Repeat("u", 50) + "aam", 50},
		{"a", -1}, {"u", -1}, {"ua", -1}, {"ab", -1}, {"aba", -1}, {"abb", -1}, {"am", -1},
		{"amaaaa", -1}, {"maaaa", -1}, {"umaa", -1}, {"mmm", -1}, {"bmb", -1},
	} {
		for name, r := range chainFiles(t, test.letters) {
			got := run(r).withoutRootless()
			if test.rows < 0 {
				other := strings.Count(test.letters, "a") + strings.Count(test.letters, "b")
				if got.err != nil || len(got.units) != len(test.letters) ||
					got.count(reading.Invalid) != other {
					t.Errorf("%s, %s: %v, %v", test.letters, name, got.verdicts, got.err)
				}
				continue
			}
			var e *reading.Error
			if !errors.As(got.err, &e) || e.File != "f" || !strings.Contains(got.err.Error(),
				", and not of ethereum mainnet, chain id 1, whose rules hold: --network ") {
				t.Errorf("%s, %s: %v", test.letters, name, got.err)
			}
			if len(got.units) != test.rows || got.count(reading.Invalid) != 0 {
				t.Errorf("%s, %s: rows %v before the refusal, want %d", test.letters, name, got.verdicts,
					test.rows)
			}
		}
	}
}

// TestOtherChainHeld checks that the queue holds back at most a batch of transactions until a
// second transaction names a chain.
func TestOtherChainHeld(t *testing.T) {
	for _, between := range []int{batchPieces - 1, batchPieces} {
		p := &payload{number: 23000000, time: 1753000000,
			txs: chainTxs(t, "a"+strings.Repeat("u", between)+"aa")}
		got := run(RLP(source("f", p.rlp(t)), onMainnet))
		if refused := got.err != nil; refused != (between < batchPieces) ||
			refused == (len(got.units) > 0) || !refused && len(got.units) != between+3 {
			t.Errorf("%d transactions between: %d rows, %v", between, len(got.units), got.err)
		}
	}
}

// TestOtherChainLive checks that a block is judged before the next block arrives, even if the next
// one shows that the file is of another chain.
func TestOtherChainLive(t *testing.T) {
	p := &payload{number: 23000000, time: 1753000000, txs: chainTxs(t, "a")}
	block := p.rlp(t)
	r := RLP(reading.Source{Name: "f", Reader: &liveStream{[][]byte{block, block}}}, onMainnet)
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	b.Expand(func(u *reading.Unit) { n++ })
	if b, err = r.Next(); n != 1 || err == nil || !strings.Contains(err.Error(), "chain id 17000") {
		t.Errorf("%d rows, then %v, %v", n, b, err)
	}
}

// TestOtherChainPlace checks that a resumed run refuses the same files as an uninterrupted run.
func TestOtherChainPlace(t *testing.T) {
	unnamed := strings.Repeat("u", batchPieces+40)
	for _, letters := range []string{unnamed + "aa" + unnamed, unnamed + "am" + unnamed + "aa",
		"m" + unnamed + "aaaa", unnamed + "a" + unnamed + "a"} {
		var file, lines []byte
		for i, tx := range chainTxs(t, letters) {
			p := &payload{number: 23000000 + uint64(i), time: 1753000000, txs: []*types.Transaction{tx}}
			file = append(file, p.rlp(t)...)
			lines = fmt.Appendf(lines, "\"0x%x\"\n", envelope(t, tx))
		}
		for name, n := range map[string]int{
			"RLP": placetest.Check(t, file, func(src reading.Source) reading.Reader {
				return RLP(src, onMainnet)
			}),
			"transactions": placetest.Check(t, lines, func(src reading.Source) reading.Reader {
				return Transactions(src, onMainnet)
			}),
		} {
			if n < 2 {
				t.Errorf("%s: %d places", name, n)
			}
		}
	}
}

// TestFirstNumber flips the bits of the number of the first of two linked blocks. If the number
// becomes lower, there may be a gap, in which too many blocks pass for the time.
func TestFirstNumber(t *testing.T) {
	for _, test := range []struct {
		chain  Chain
		number uint64
		apart  uint64 // seconds between the two blocks
		passed int    // flips that are a possible gap
	}{
		{Mainnet, 23_456_789, 12, 0},
		{Mainnet, 23_456_789, 24, 1},      // 2 blocks in 24 s
		{Mainnet, 5_000_007, 15, 3},       // 2, 3 and 5 blocks in 15 s
		{Chain{ID: 10}, 5_000_007, 1, 11}, // any number of blocks in a second
	} {
		passed := 0
		for bit := range 64 {
			var l Links
			l.add(test.chain, link{Number: test.number ^ 1<<bit, Time: 1000, Hash: [32]byte{1}})
			broken, _, _ := l.add(test.chain, link{Number: test.number + 1, Time: 1000 + test.apart,
				Hash: [32]byte{2}, Parent: [32]byte{3}})
			if broken == "" {
				passed++
			}
		}
		if passed != test.passed {
			t.Errorf("chain %d, block %d, %d s: %d flips passed, want %d", test.chain.ID, test.number,
				test.apart, passed, test.passed)
		}
	}
}
