package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

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
		token := value(d.Token())
		at := int(d.InputOffset())
		switch token {
		case json.Delim('{'):
			add(jsonSpot{path, at, 0})
			for d.More() {
				name := value(d.Token()).(string)
				if path == "" {
					walk(name)
				} else {
					walk(path + "." + name)
				}
			}
			value(d.Token())
		case json.Delim('['):
			if path != "" {
				path += "[]"
			}
			for d.More() {
				walk(path)
			}
			value(d.Token())
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
	key := value(crypto.ToECDSA(bytes.Repeat([]byte{7}, 32)))
	to := common.Address{1}
	access := types.AccessList{{Address: to, StorageKeys: []common.Hash{{1}, {2}}},
		{Address: common.Address{2}}}
	auth := value(types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *chain, Address: to}))
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
		txs = append(txs, value(types.SignNewTx(key, types.NewPragueSigner(id), data)))
	}
	zero := uint64(0)
	header := &types.Header{Difficulty: new(big.Int), Number: big.NewInt(7), GasLimit: 3e7, Time: 99,
		BaseFee: big.NewInt(1), BlobGasUsed: &zero, ExcessBlobGas: &zero,
		ParentBeaconRoot: &common.Hash{3}, RequestsHash: &types.EmptyRequestsHash}
	return types.NewBlock(header, &types.Body{Transactions: txs,
		Withdrawals: []*types.Withdrawal{{Index: 1}, {Validator: 2, Amount: 5}}}, nil,
		ethereumtest.Trie{})
}

// engineCall returns block b as the parameters of an engine API call.
func engineCall(t testing.TB, b *types.Block) string {
	var rpcFields map[string]json.RawMessage
	if err := json.Unmarshal(rpc(t, b), &rpcFields); err != nil {
		t.Fatal(err)
	}
	payload := map[string]any{}
	for name, field := range map[string]string{"miner": "feeRecipient", "mixHash": "prevRandao",
		"number": "blockNumber", "hash": "blockHash", "parentHash": "", "stateRoot": "",
		"receiptsRoot": "", "logsBloom": "", "gasLimit": "", "gasUsed": "", "timestamp": "",
		"extraData": "", "baseFeePerGas": "", "withdrawals": "", "blobGasUsed": "",
		"excessBlobGas": ""} {
		if field == "" {
			field = name
		}
		payload[field] = rpcFields[name]
	}
	var txs []string
	for _, tx := range b.Transactions() {
		txs = append(txs, fmt.Sprintf("0x%x", value(tx.MarshalBinary())))
	}
	payload["transactions"] = txs
	return string(value(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1,
		"method": "engine_newPayloadV4",
		"params": []any{payload, []string{}, b.BeaconRoot(), []string{}}})))
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
	core := readFile(t, "internal/bitcoin/testdata/core/getblock.json")
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
		value(full.Transactions()[0].MarshalBinary())) + `"}`
	call := engineCall(t, full)
	_, built, _ := strings.Cut(call, `"params":[`)
	built = built[:strings.Index(built, `},[],"`)+1]
	samples = append(samples,
		fieldSample{"eth_getBlockByNumber", text, network, forged},
		fieldSample{"eth_getBlockByNumber, answer", answer(text), network, forged},
		fieldSample{"eth_getBlockByNumber, batch", "[" + answer(text) + "," + answer("null") + "]",
			network, forged},
		fieldSample{"eth_getTransactionByHash", lone, networkTx, forged},
		fieldSample{"eth_getTransactionByHash, answer", answer(lone), networkTx, forged},
		fieldSample{"engine call", call, network, forged},
		fieldSample{"engine_getPayload", answer(`{"executionPayload":` + built + `,"blockValue":"0x1",` +
			`"blobsBundle":{"commitments":[],"proofs":[],"blobs":["0x00"]},"executionRequests":[],` +
			`"shouldOverrideBuilder":false}`), network, forged},
		fieldSample{"go-ethereum's answer", readFile(t, gethFile(t, "internal", "ethapi", "testdata",
			"eth_getBlockByHash-hash-latest-1-fullTx.json")), []string{"--network", "1337", "-"}, forged})

	electra, id := beaconBlock(t)
	samples = append(samples, fieldSample{"beacon block, cut", string(electra),
		[]string{"--network", id, "--format", "ethereum", "-"}, forged})
	vote := `{"aggregation_bits":"0x","committee_bits":"0x","signature":"0x","data":{"slot":"1",` +
		`"index":"1","beacon_block_root":"0x","source":{"epoch":"1","root":"0x"},"target":{"epoch":"1",` +
		`"root":"0x"}}}`
	indexed := `{"attesting_indices":["1"],"signature":"0x","data":` + vote[strings.Index(vote,
		`{"slot"`):]
	header := `{"signature":"0x","message":{"slot":"1","proposer_index":"1","parent_root":"0x",` +
		`"state_root":"0x","body_root":"0x"}}`
	for name, network := range map[string]string{"block_deneb.json": "mainnet",
		"block_electra_withdrawals.json": id, "block_electra_deposits.json": id,
		"block_electra_consolidations.json": id, "block_capella.json": "mainnet"} {
		text := readFile(t, gethFile(t, "beacon", "types", "testdata", name))
		args := []string{"--network", network, "--format", "ethereum", "-"}
		samples = append(samples, fieldSample{name, text, args, forged})
		if name == "block_deneb.json" {
			var block struct {
				Body struct {
					Payload json.RawMessage `json:"execution_payload"`
				}
			}
			if err := json.Unmarshal([]byte(text), &block); err != nil {
				t.Fatal(err)
			}
			payload := string(block.Body.Payload)
			samples = append(samples, fieldSample{"beacon payload", payload, args, forged},
				fieldSample{"answer of a builder", `{"version":"deneb","data":{"execution_payload":` + payload +
					`,"blobs_bundle":{"commitments":[],"proofs":[],"blobs":["0x00"]}}}`, args, forged})
		}
		if strings.HasSuffix(name, "consolidations.json") {
			for field, object := range map[string]string{
				"proposer_slashings": `{"signed_header_1":` + header + `,"signed_header_2":` + header + `}`,
				"attester_slashings": `{"attestation_1":` + indexed + `,"attestation_2":` + indexed + `}`,
				"deposits": `{"proof":["0x"],"data":{"pubkey":"0x","withdrawal_credentials":"0x",` +
					`"amount":"1","signature":"0x"}}`,
				"voluntary_exits": `{"signature":"0x","message":{"epoch":"1","validator_index":"1"}}`,
				"bls_to_execution_changes": `{"signature":"0x","message":{"validator_index":"1",` +
					`"from_bls_pubkey":"0x","to_execution_address":"0x"}}`,
			} {
				from := `"` + field + `": []`
				text = strings.Replace(text, from, `"`+field+`": [`+object+`]`, 1)
				if !strings.Contains(text, object) {
					t.Fatalf("no %s", from)
				}
			}
			contents := `,"kzg_proofs":["0x"],"blobs":["0x00"]}}`
			samples = append(samples,
				fieldSample{name + ", with blobs", `{"version":"electra","data":{"block":` + text + contents,
					args, forged},
				fieldSample{name + ", signed", `{"version":"electra","data":{"signed_block":{"message":` +
					text + `,"signature":"0x"}` + contents, args, forged})
			samples = append(samples, fieldSample{name + ", answer", `{"version":"electra",` +
				`"execution_optimistic":false,"finalized":true,"data":{"message":` + text +
				`,"signature":"0x"}}`, args, forged})
		}
	}

	event := signedEvent(t, 1, "hello")
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
			if whole.Exit != exitOK || whole.Valid+whole.Recovered == 0 &&
				!strings.Contains(s.name, "_electra_") {
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
				if got.Exit != exitOK || got.numbers() != whole.numbers() {
					t.Errorf("%s: exit %d, %v, %v", spot.path, got.Exit, got.numbers(), got.Unreadable)
				}
			}
			t.Logf("%d kinds of objects: %q", len(paths), slices.Sorted(maps.Keys(paths)))
		})
	}
}

func quoteJSON(s string) string { return string(value(json.Marshal(s))) }

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
					if got.Exit != exitOK {
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
