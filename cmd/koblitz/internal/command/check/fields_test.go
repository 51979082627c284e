package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum/ethereumtest"
)

// A fieldSample is a valid input in one of the JSON formats.
type fieldSample struct {
	name, text string
	args       []string
	forged     string // an object with a bad signature
}

// A jsonSpot is an object or another value at some position in a JSON text.
type jsonSpot struct {
	path string // path of the object or value, as in reports
	at   int    // offset after an object's '{', or of the start of another value
	end  int    // offset of the end of a value that is not an object; else 0
}

// jsonSpots returns at most two objects for each path of names, and at most one value that is
// neither an object nor a list.
func jsonSpots(text string) (spots []jsonSpot) {
	d := json.NewDecoder(strings.NewReader(text))
	found := map[string]int{}
	add := func(s jsonSpot) {
		key := fmt.Sprint(s.path, s.end > 0)
		if found[key]++; found[key] == 1 || found[key] == 2 && s.end == 0 {
			spots = append(spots, s)
		}
	}
	var walk func(path string)
	walk = func(path string) {
		before := int(d.InputOffset())
		token := clitest.Must(d.Token())
		at := int(d.InputOffset())
		switch token {
		case json.Delim('{'):
			add(jsonSpot{path, at, 0})
			for d.More() {
				name := clitest.Must(d.Token()).(string)
				if path == "" {
					walk(name)
				} else {
					walk(path + "." + name)
				}
			}
			clitest.Must(d.Token())
		case json.Delim('['):
			if path != "" {
				path += "[]"
			}
			for d.More() {
				walk(path)
			}
			clitest.Must(d.Token())
		default:
			before += strings.IndexFunc(text[before:], func(r rune) bool {
				return !strings.ContainsRune(" \n\t\r:,", r)
			})
			add(jsonSpot{path, before, at})
		}
	}
	for d.More() {
		walk("")
	}
	return spots
}

// fullBlock returns a block with a transaction of each type and objects of every kind.
func fullBlock(t testing.TB) *types.Block {
	t.Helper()
	id, _ := new(big.Int).SetString(exportedChain, 10)
	chain := uint256.MustFromBig(id)
	key := clitest.Must(crypto.ToECDSA(bytes.Repeat([]byte{7}, 32)))
	to := common.Address{1}
	access := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{2}}}
	auth := clitest.Must(types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *chain,
		Address: to}))
	var txs []*types.Transaction
	for _, data := range []types.TxData{
		&types.LegacyTx{GasPrice: big.NewInt(9), Gas: 21000, To: &to, Value: big.NewInt(1)},
		&types.AccessListTx{ChainID: id, GasPrice: big.NewInt(9), Gas: 9e5, To: &to, AccessList: access},
		&types.DynamicFeeTx{ChainID: id, GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(9), Gas: 9e5,
			Data: []byte("data"), AccessList: access},
		&types.BlobTx{ChainID: chain, GasFeeCap: uint256.NewInt(9), Gas: 9e5, To: to, AccessList: access,
			BlobFeeCap: uint256.NewInt(9), BlobHashes: []common.Hash{{1}}},
		&types.SetCodeTx{ChainID: chain, GasFeeCap: uint256.NewInt(9), Gas: 9e5, To: to,
			AccessList: access, AuthList: []types.SetCodeAuthorization{auth}},
	} {
		txs = append(txs, clitest.Must(types.SignNewTx(key, types.NewPragueSigner(id), data)))
	}
	zero := uint64(0)
	header := &types.Header{Difficulty: new(big.Int), Number: big.NewInt(7), GasLimit: 3e7, Time: 99,
		BaseFee: big.NewInt(1), BlobGasUsed: &zero, ExcessBlobGas: &zero,
		ParentBeaconRoot: &common.Hash{3}, RequestsHash: &types.EmptyRequestsHash}
	return types.NewBlock(header, &types.Body{Transactions: txs,
		Withdrawals: []*types.Withdrawal{{Index: 1}, {Validator: 2, Amount: 5}}}, nil,
		ethereumtest.Trie{})
}

// fieldSamples returns a sample of every JSON format.
func fieldSamples(t testing.TB) (samples []fieldSample) {
	answer := func(text string) string { return `{"jsonrpc":"2.0","id":1,"result":` + text + `}` }
	regtest := newRegtest(nil)
	block, bad := regtest.getblock(), newRegtest(broken).getblock()
	one := func(block string) string {
		return block[strings.LastIndex(block, "{\"txid\": \""+
			regtest.spending.Transactions[1].TxHash().String()):strings.LastIndex(block, "\n]}")]
	}
	forged := bad[strings.Index(bad, "\n{")+1 : strings.LastIndex(bad, "\n]}")]
	forged = `{"tx":[` + forged + `]}`
	bitcoin := []string{"--network", "regtest", "-"}
	bitcoinTx := append([]string{"--format", "bitcoin-tx"}, bitcoin...)
	coinbase := block[strings.Index(block, "\n{")+1 : strings.Index(block, ",\n"+one(block))]
	core := readFile(t, filepath.Join(commandtest.CoreFolder, "getblock.json"))
	samples = append(samples,
		fieldSample{"getblock", block, bitcoin, forged},
		fieldSample{"getblock, answer", answer(block), bitcoin, forged},
		fieldSample{"getblock, batch", "[" + answer(block) + "]", bitcoin, forged},
		fieldSample{"getblock of Core", core, bitcoin, forged},
		fieldSample{"getrawtransaction", one(block) + coinbase, bitcoinTx, forged},
		fieldSample{"getrawtransaction, answer", answer(one(block)), bitcoinTx, forged})

	network := []string{"--network", exportedChain, "--format", "ethereum", "-"}
	networkTx := []string{"--network", exportedChain, "--format", "ethereum-tx", "-"}
	full := fullBlock(t)
	text := string(rpc(t, full))
	var parsed struct{ Transactions []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &parsed); err != nil {
		t.Fatal(err)
	}
	lone := string(parsed.Transactions[1])
	r := strings.Index(lone, `"r":"0x`) + 12
	forged = lone[:r] + string(other(lone[r])) + lone[r+1:]
	forged = `{"transactions":[` + forged + `],"r":"0x` + fmt.Sprintf("%x",
		clitest.Must(full.Transactions()[0].MarshalBinary())) + `"}`
	samples = append(samples,
		fieldSample{"eth_getBlockByNumber", text, network, forged},
		fieldSample{"eth_getBlockByNumber, answer", answer(text), network, forged},
		fieldSample{"eth_getBlockByNumber, batch", "[" + answer(text) + "," + answer("null") + "]",
			network, forged},
		fieldSample{"eth_getTransactionByHash", lone, networkTx, forged},
		fieldSample{"eth_getTransactionByHash, answer", answer(lone), networkTx, forged},
		fieldSample{"go-ethereum's answer", readFile(t, gethFile(t, "internal", "ethapi", "testdata",
			"eth_getBlockByHash-hash-latest-1-fullTx.json")), []string{"--network", "1337", "-"}, forged})

	event := commandtest.SignedEvent(t, 1, "hello")
	forged = strings.Replace(event, "hello", "hullo", 1)
	args := []string{"--format", "nostr", "-"}
	return append(samples,
		fieldSample{"events", event + "\n" + event + "\n", args, forged},
		fieldSample{"list of events", "[" + event + ", [" + event + "]]\n", args, forged})
}

// TestExtraFields adds a field that no format defines to objects of every kind. The field's value
// contains a bad signature. The counts must stay the same: the field is ignored.
func TestExtraFields(t *testing.T) {
	for n, s := range fieldSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole := checkJSON(t, s.text, s.args...)
			if whole.Exit != cli.ExitOK || whole.Valid+whole.Recovered == 0 {
				t.Errorf("%v, %v, %v", whole.summary, whole.Failures, whole.Unreadable)
			}
			hidden := []string{s.forged, "[" + s.forged + "]", `[[{"x":` + s.forged + `}]]`,
				quoteJSON(s.forged), `"0x` + strings.Repeat("f86c", 60) + `"`}
			paths := map[string]bool{}
			for i, spot := range jsonSpots(s.text) {
				if spot.end > 0 || (n+i)%oneIn(7) != 0 {
					continue
				}
				paths[spot.path] = true
				comma := ","
				if strings.HasPrefix(strings.TrimSpace(s.text[spot.at:]), "}") {
					comma = ""
				}
				got := checkJSON(t, s.text[:spot.at]+`"x_y":`+hidden[i%len(hidden)]+comma+s.text[spot.at:],
					s.args...)
				if got.Exit != cli.ExitOK || got.numbers() != whole.numbers() {
					t.Errorf("%s: exit %d, %v, %v", spot.path, got.Exit, got.numbers(), got.Unreadable)
				}
			}
			t.Logf("%d kinds of objects: %q", len(paths), slices.Sorted(maps.Keys(paths)))
		})
	}
}

func quoteJSON(s string) string { return string(clitest.Must(json.Marshal(s))) }

// TestObjectsAsValues replaces values of every kind that are not objects by an object. Either the
// input must be refused, or the value is not read, and the counts stay the same.
func TestObjectsAsValues(t *testing.T) {
	for n, s := range fieldSamples(t) {
		t.Run(s.name, func(t *testing.T) {
			whole := checkJSON(t, s.text, s.args...)
			ignored, refused := 0, 0
			for i, spot := range jsonSpots(s.text) {
				if spot.end == 0 || (n+i)%oneIn(19) != 0 {
					continue
				}
				for _, text := range []string{`{"x_y":` + s.forged + `}`, `[{"x_y":` + s.forged + `}]`} {
					got := checkJSON(t, s.text[:spot.at]+text+s.text[spot.end:], s.args...)
					if got.Exit != cli.ExitOK {
						refused++
						continue
					}
					ignored++
					if got.numbers() != whole.numbers() {
						t.Errorf("%s: %v", spot.path, got.numbers())
					}
				}
			}
			t.Logf("covers %d values that are ignored, %d refused", ignored, refused)
		})
	}
}
