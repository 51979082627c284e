package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// A fieldSample is a valid input in one of the JSON formats.
type fieldSample struct {
	name, text string
	args       []string
	forged     string // an object with a bad signature
}

// jsonSpots returns at most two objects for each path of names, and at most one value that is
// neither an object nor a list.
func jsonSpots(text string) (spots []jsonToken) {
	found := map[string]int{}
	for _, token := range jsonTokens([]byte(text)) {
		if token.isName || strings.ContainsRune("}[]", rune(token.kind)) {
			continue
		}
		key := fmt.Sprint(token.path, token.kind == '{')
		if found[key]++; found[key] == 1 || found[key] == 2 && token.kind == '{' {
			spots = append(spots, token)
		}
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
	withdrawals := common.HexToHash(
		"0x6a0fb9aa93df77b3958b15e99d33d8f2dfbab5ff2c1667b1862b495ecc4c5ecc")
	header := &types.Header{Difficulty: new(big.Int), Number: big.NewInt(7), GasLimit: 3e7, Time: 99,
		BaseFee: big.NewInt(1), BlobGasUsed: &zero, ExcessBlobGas: &zero,
		ParentBeaconRoot: &common.Hash{3}, RequestsHash: &types.EmptyRequestsHash,
		UncleHash: types.EmptyUncleHash, ReceiptHash: types.EmptyReceiptsHash,
		// These are the roots of the lists below.
		TxHash: common.HexToHash(
			"0x0a768991079a13305f380b452437455caeb9a637e0afbee6a559578374a86012"),
		WithdrawalsHash: &withdrawals}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs,
		Withdrawals: []*types.Withdrawal{{Index: 1}, {Validator: 2, Amount: 5}}})
}

// fieldSamples returns a sample of every JSON format.
func fieldSamples(t testing.TB) (samples []fieldSample) {
	answer := func(text string) string { return `{"jsonrpc":"2.0","id":1,"result":` + text + `}` }
	block := readFile(t, regtestJSON)
	txs := transactions(t, block)
	forged := `{"tx":[` + spoilt(txs[1], `"txinwitness":["`, 20) + `]}`
	bitcoin := []string{"--network", "regtest", "-"}
	bitcoinTx := append([]string{"--format", "bitcoin-tx"}, bitcoin...)
	core := readFile(t, filepath.Join(commandtest.CoreFolder, "getblock.json"))
	samples = append(samples,
		fieldSample{"getblock", block, bitcoin, forged},
		fieldSample{"getblock, batch", "[" + answer(block) + "]", bitcoin, forged},
		fieldSample{"getblock of Core", core, bitcoin, forged},
		fieldSample{"getrawtransaction", txs[1] + txs[0], bitcoinTx, forged},
		fieldSample{"getrawtransaction, answer", answer(txs[1]), bitcoinTx, forged})

	network := []string{"--network", exportedChain, "--format", "ethereum", "-"}
	full := fullBlock(t)
	text := string(rpc(t, full))
	lone := transactions(t, text)[1]
	forged = `{"transactions":[` + spoilt(lone, `"r":"0x`, 4) + `],"r":"0x` + fmt.Sprintf("%x",
		clitest.Must(full.Transactions()[0].MarshalBinary())) + `"}`
	samples = append(samples,
		fieldSample{"eth_getBlockByNumber", text, network, forged},
		fieldSample{"eth_getBlockByNumber, batch", "[" + answer(text) + "," + answer("null") + "]",
			network, forged},
		fieldSample{"eth_getTransactionByHash", lone, network, forged},
		fieldSample{"eth_getTransactionByHash, answer", answer(lone), network, forged},
		fieldSample{"go-ethereum's answer", readFile(t, ethereumAnswer(t)), []string{"--network", "1337",
			"-"}, forged})

	event := commandtest.SignedEvent(t, 1, "hello")
	forged = strings.Replace(event, "hello", "hullo", 1)
	args := []string{"--format", "nostr", "-"}
	return append(samples,
		fieldSample{"events", event + "\n" + event + "\n", args, forged},
		fieldSample{"list of events", "[" + event + ", [" + event + "]]\n", args, forged})
}

// spoilt returns text with another hexadecimal digit, at a distance after the string after.
func spoilt(text, after string, distance int) string {
	at := strings.Index(text, after) + len(after) + distance
	return text[:at] + string(other(text[at])) + text[at+1:]
}

// TestExtraFields adds a field that no format defines to objects of every kind. The field's value
// contains a bad signature. The counts must stay the same: the field is ignored. It also replaces
// values of every kind that are not objects by an object: either the input is refused, or the value
// is not read, and the counts stay the same.
func TestExtraFields(t *testing.T) {
	for n, s := range fieldSamples(t) {
		whole := checkJSON(t, s.text, s.args...)
		if whole.Exit != cli.ExitOK || whole.Valid+whole.Recovered == 0 {
			t.Errorf("%s: %v, %v, %v", s.name, whole.summary, whole.Failures, whole.Unreadable)
		}
		hidden := []string{s.forged, "[" + s.forged + "]", `[[{"x":` + s.forged + `}]]`,
			string(clitest.Must(json.Marshal(s.forged))), `"0x` + strings.Repeat("f86c", 60) + `"`}
		tried, refused := 0, 0
		for i, spot := range jsonSpots(s.text) {
			value := `"x_y":` + hidden[i%len(hidden)]
			start, every := spot.end, 2 // after the object's '{'
			switch {
			case spot.kind != '{':
				value, start, every = "{"+value+"}", spot.start, 7
				if i%2 == 0 {
					value = "[" + value + "]"
				}
			case !strings.HasPrefix(strings.TrimSpace(s.text[spot.end:]), "}"):
				value += ","
			}
			if (n+i)%oneIn(every) != 0 {
				continue
			}
			tried++
			got := checkJSON(t, s.text[:start]+value+s.text[spot.end:], s.args...)
			if spot.kind != '{' && got.Exit != cli.ExitOK {
				refused++
			} else if got.Exit != cli.ExitOK || got.numbers() != whole.numbers() {
				t.Errorf("%s, %s: exit %d, %v, %v", s.name, spot.path, got.Exit, got.numbers(),
					got.Unreadable)
			}
		}
		t.Logf("covers %s: %d changes, %d refused", s.name, tried, refused)
	}
}
