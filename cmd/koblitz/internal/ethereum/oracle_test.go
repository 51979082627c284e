package ethereum

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"golang.org/x/crypto/sha3"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// must returns v. It panics if the setup of a test failed.
func must[T any](v T, err error) T {
	noError(err)
	return v
}

// noError panics if the setup of a test failed.
func noError(err error) {
	if err != nil {
		panic(err)
	}
}

// testdata reads a file from go-ethereum's test data.
func testdata(path ...string) []byte {
	out := must(exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/ethereum/go-ethereum").Output())
	path = append([]string{strings.TrimSpace(string(out))}, path...)
	return must(os.ReadFile(filepath.Join(path...)))
}

// A payload is the part of a block that the tests need.
type payload struct {
	number, time uint64
	parent       common.Hash
	raw          [][]byte
	txs          []*types.Transaction
	whole        *types.Block // the block, or nil if it is made of the other fields
}

// mainnetHashes are the hashes of real blocks by their numbers. The folder testdata has the blocks.
var mainnetHashes = map[uint64]string{
	18189758: "0x802acf5c350f4252e31d83c431fcb259470250fa0edf49e8391cfee014239820",
	19431837: "0x4cf7d9108fc01b50023ab7cab9b372a96068fddcadec551630393b65acb1f34c",
}

// mainnet decodes a real block without the readers under test.
func mainnet(t testing.TB, number uint64) (p payload) {
	t.Helper()
	encoded := must(os.ReadFile(fmt.Sprintf("testdata/mainnet-%d.rlp", number)))
	p.whole = new(types.Block)
	noError(rlp.DecodeBytes(encoded, p.whole))
	if p.whole.NumberU64() != number || p.whole.Hash().Hex() != mainnetHashes[number] {
		t.Fatalf("block %d, %v", p.whole.NumberU64(), p.whole.Hash())
	}
	p.number, p.time, p.parent, p.txs = number, p.whole.Time(), p.whole.ParentHash(),
		p.whole.Transactions()
	for _, tx := range p.txs {
		p.raw = append(p.raw, envelope(tx))
	}
	return p
}

func (p *payload) signer() types.Signer {
	return types.MakeSigner(params.MainnetChainConfig, new(big.Int).SetUint64(p.number), p.time)
}

// senders returns the transactions' senders as go-ethereum recovers them, with libsecp256k1 or
// dcrec.
func (p *payload) senders() (all []common.Address) {
	for _, tx := range p.txs {
		all = append(all, must(types.Sender(p.signer(), tx)))
	}
	return all
}

// rpc returns p as a response to eth_getBlockByNumber. go-ethereum encodes the transactions.
func (p *payload) rpc() []byte {
	senders := p.senders()
	var txs []map[string]any
	for i, tx := range p.txs {
		fields := map[string]any{}
		noError(json.Unmarshal(must(tx.MarshalJSON()), &fields))
		fields["from"], fields["transactionIndex"], fields["blockNumber"] = senders[i], hexutil.Uint64(i),
			hexutil.Uint64(p.number)
		txs = append(txs, fields)
	}
	block := p.block()
	fields := map[string]any{}
	noError(json.Unmarshal(must(json.Marshal(block.Header())), &fields))
	fields["hash"], fields["size"] = block.Hash(), hexutil.Uint64(block.Size())
	fields["uncles"], fields["withdrawals"] = []int{}, block.Withdrawals()
	fields["transactions"] = txs
	return must(json.Marshal(fields))
}

// block returns a block with the payload's transactions and the fields derived from them.
func (p *payload) block() *types.Block {
	if p.whole != nil {
		return p.whole
	}
	header := &types.Header{Number: new(big.Int).SetUint64(p.number), Time: p.time,
		ParentHash: p.parent, Difficulty: new(big.Int), BaseFee: big.NewInt(7)}
	w := types.Withdrawals{{Index: 1, Validator: 2, Address: common.Address{3}, Amount: 4}}
	hash := common.Hash(root(encoded(w)))
	header.TxHash, header.UncleHash, header.WithdrawalsHash = root(
		encoded(types.Transactions(p.txs))), types.EmptyUncleHash, &hash
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: p.txs, Withdrawals: w})
}

// encoded returns the encodings of a list's items that the list's trie root covers.
func encoded(list types.DerivableList) (items [][]byte) {
	for i := range list.Len() {
		var b bytes.Buffer
		list.EncodeIndex(i, &b)
		items = append(items, b.Bytes())
	}
	return items
}

// rlp returns the block in RLP, as "geth export" writes it.
func (p *payload) rlp() []byte { return must(rlp.EncodeToBytes(p.block())) }

// judge verifies the signature of a reading.Unit without package verify. It also returns the
// sender.
func judge(u *reading.Unit) (v reading.Verdict, from common.Address) {
	if u.Decided != reading.Unchecked {
		return u.Decided, from
	}
	s := &u.Signatures[0]
	sig, err := ecdsa.ParseSignature(s.Sig[:64])
	if err != nil {
		return reading.Malformed, from
	}
	key, err := ecdsa.Recover(s.Digest[:], s.Sig)
	if err != nil || u.LowS && !sig.IsLowS() {
		return reading.Invalid, from
	}
	h := sha3.NewLegacyKeccak256()
	h.Write(key.UncompressedBytes()[1:])
	from = common.Address(h.Sum(nil)[12:])
	switch {
	case u.Sender == nil:
		return reading.Recovered, from
	case !bytes.Equal(u.Sender, from[:]):
		return reading.Invalid, from
	}
	return reading.Valid, from
}

// A tally summarizes the reading.Units that a reader returned.
type tally struct {
	units    []reading.Unit
	verdicts []reading.Verdict
	from     []common.Address
	err      error // nil after io.EOF
}

func (t *tally) count(v reading.Verdict) (n int) {
	for _, w := range t.verdicts {
		if v == w {
			n++
		}
	}
	return n
}

// run reads all reading.Units of r and returns a summary.
func run(r reading.Reader) (t tally) {
	for {
		b, err := r.Next()
		if err != nil {
			if err != io.EOF {
				t.err = err
			}
			return t
		}
		b.Expand(func(u *reading.Unit) {
			v, from := judge(u)
			c := *u
			c.Signatures = slices.Clone(u.Signatures)
			t.units, t.verdicts, t.from = append(t.units, c), append(t.verdicts, v), append(t.from, from)
		})
	}
}

func source(name string, b []byte) reading.Source {
	return reading.Source{Name: name, Reader: bytes.NewReader(b)}
}

var onMainnet = Options{Chain: Mainnet}

// read detects the format of b and reads all of its reading.Units.
func read(t testing.TB, b []byte, o Options) tally {
	t.Helper()
	switch f, _ := Detect(b); f {
	case FormatJSON:
		return run(JSON(source("block", b), o))
	case FormatRLP:
		return run(RLP(source("block", b), o))
	}
	t.Fatalf("not recognized: %.100q", b)
	return tally{}
}

// TestMainnet reads two real blocks in every format. It checks that the senders are the same as
// go-ethereum's.
func TestMainnet(t *testing.T) {
	for name, n := range map[uint64]int{19431837: 322, 18189758: 100} {
		p := mainnet(t, name)
		if len(p.txs) != n {
			t.Fatalf("block %d has %d transactions", p.number, len(p.txs))
		}
		senders, rpc, enc := p.senders(), p.rpc(), p.rlp()
		other := &payload{number: p.number + 1, time: p.time + 12, parent: p.block().Hash(),
			txs: p.txs[:3]}
		for _, form := range []struct {
			name  string
			text  []byte
			known bool
			more  int // number of transactions of the block named other
		}{
			{"JSON-RPC, bare", rpc, true, 0},
			{"JSON-RPC", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":%s}`+"\n", rpc), true, 0},
			{"JSON-RPC, two",
				fmt.Appendf(nil,
					"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
					rpc, other.rpc()), true, 3},
			{"JSON-RPC, a batch", fmt.Appendf(nil, `[{"jsonrpc":"2.0","id":1,"result":%s}, {"result":%s,`+
				`"error":null}]`, rpc, other.rpc()), true, 3},
			{"RLP", enc, false, 0},
			{"RLP, two", append(bytes.Clone(enc), other.rlp()...), false, 3},
		} {
			got := read(t, form.text, onMainnet)
			if got.err != nil || len(got.units) != n+form.more {
				t.Errorf("%d, %s: %d units, %v", name, form.name, len(got.units), got.err)
				continue
			}
			for i, u := range got.units {
				number, index := p.number, i
				if i >= n {
					number, index = p.number+1, i-n
				}
				v := reading.Recovered
				if form.known {
					v = reading.Valid
				}
				w := u.Where
				if got.verdicts[i] != v || got.from[i] != senders[index] || w.Tx != p.txs[index].Hash().Hex() ||
					w.Index != index || w.Block != int32(number) || w.File != "block" || w.Offset < 0 {
					t.Fatalf("%d, %s: %v from %v, want %v from %v: %+v %s", name, form.name, got.verdicts[i],
						got.from[i], v, senders[index], w, u.Reason)
				}
			}
		}
	}
}

// chainOf selects the chain of go-ethereum's peer-to-peer tests, which has every fork and every
// type of transaction.
var chainOf = Options{Chain: Chain{ID: 3503995874084926}}

// TestExport reads a chain exported by geth. It checks that the senders are the same as
// go-ethereum's.
func TestExport(t *testing.T) {
	chain := testdata("cmd", "devp2p", "internal", "ethtest", "testdata", "chain.rlp")
	got := read(t, chain, chainOf)
	if got.err != nil {
		t.Fatal(got.err)
	}
	signer := types.NewPragueSigner(new(big.Int).SetUint64(chainOf.Chain.ID))
	kinds := map[string]int{}
	n := 0
	for s := rlp.NewStream(bytes.NewReader(chain), 0); ; {
		var b types.Block
		err := s.Decode(&b)
		if err == io.EOF {
			break
		}
		noError(err)
		for i, tx := range b.Transactions() {
			from := must(types.Sender(signer, tx))
			u := &got.units[n]
			if got.verdicts[n] != reading.Recovered || got.from[n] != from ||
				u.Where.Tx != tx.Hash().Hex() ||
				u.Where.Index != i || u.Where.Block != int32(b.NumberU64()) {
				t.Fatalf("%v from %v, want %v: %+v", got.verdicts[n], got.from[n], from, u)
			}
			kinds[u.Kind]++
			n++
		}
	}
	t.Log(kinds)
	if n != len(got.units) || n != 612 || len(kinds) < 4 {
		t.Errorf("%d of %d transactions, %v", len(got.units), n, kinds)
	}
}

// TestGethAnswers checks that responses of a real node, from go-ethereum's own tests, can be read.
func TestGethAnswers(t *testing.T) {
	for _, name := range []string{"eth_getBlockByHash-hash-latest-1-fullTx.json",
		"eth_getBlockByNumber-tag-pending-fullTx.json"} {
		got := read(t, testdata("internal", "ethapi", "testdata", name),
			Options{Chain: Chain{ID: 1337}})
		if got.err != nil || len(got.units) != 1 || got.verdicts[0] != reading.Valid {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := run(JSON(source("f", testdata("internal", "ethapi", "testdata",
		"eth_getBlockByNumber-tag-latest.json")), onMainnet))
	if got.err == nil || !strings.Contains(got.err.Error(), "f:19: transactions are named only") {
		t.Errorf("only hashes: %v", got.err)
	}
}
