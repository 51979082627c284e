package check

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestMutations changes every byte of a small sample of each format in two ways (nine with
// KOBLITZ_DEEP=every). After each change one of the following must hold:
//
//   - the exit status is not 0 (the rule);
//   - the sample's map free, which gives a reason for each byte that may change freely, has an
//     entry for the byte, and the counts of rows stay the same;
//   - the sample's map told, which gives a reason for each byte whose change need not fail, has an
//     entry for the byte, and the report changes.
//
// So every change of a signed message or of a signer is noticed in each format, unless one of these
// maps allows it.
func TestMutations(t *testing.T) {
	// Collect garbage less often: each check allocates buffers for large files, even though the
	// samples are small.
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	for _, s := range mutationSamples(t) {
		t.Run(s.name, s.test)
	}
}

// A mutationSample is a valid input whose bytes the test changes.
type mutationSample struct {
	name  string
	text  bool     // the data is JSON
	args  []string // arguments of check; the input is standard input
	data  []byte
	label func(data []byte) []string // returns a label for each byte; nil if both lists are empty
	free  map[string]string          // labels of bytes that may change freely, with the reason
	// maps labels of bytes whose change must show in the report, but need not fail, to the reason
	told map[string]string
}

func (s *mutationSample) check(t *testing.T, data []byte) (r result, report string) {
	args := append([]string{"check", "--json", "--workers", "1"}, s.args...)
	_, stdout, stderr := invoke(t, string(data), args...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err, stdout, stderr)
	}
	return r, clitest.WithoutTime(stdout) + stderr
}

func (s *mutationSample) test(t *testing.T) {
	if len(s.data) > 8<<10 {
		t.Fatalf("%d bytes", len(s.data))
	}
	whole, report := s.check(t, s.data)
	if whole.Exit != cli.ExitOK || whole.Valid+whole.Recovered == 0 {
		t.Fatalf("%s", report)
	}
	labels := make([]string, len(s.data))
	if s.label != nil {
		copy(labels, s.label(s.data))
	}
	used := map[string]bool{}
	step, checked, listed := oneIn(97), 0, 0
	tried := map[string]bool{"": true} // labels of changed bytes
	for i := range s.data {
		if i%step != 0 && tried[labels[i]] {
			continue // by default, every 97th byte and one of each label
		}
		tried[labels[i]] = true
		old := s.data[i]
		changes := []byte{old ^ 1<<(i/2%8), other(old)}
		if clitest.EveryCase() {
			changes = []byte{other(old)}
			for bit := range 8 {
				changes = append(changes, old^1<<bit)
			}
		} else if s.text { // JSON has more bytes than other formats, and a byte carries less
			changes = changes[i/step%2:][:1]
		}
		for n, c := range changes {
			b := bytes.Clone(s.data)
			b[i] = c
			checked++
			got, now := s.check(t, b)
			if got.Exit != cli.ExitOK {
				continue
			}
			label := labels[i]
			switch {
			case isCaseOfHex(s.data, i, c):
				label = caseOfHex
			case old == '0' && c == ' ' && (strings.HasSuffix(label, "fee") ||
				strings.HasSuffix(label, "value")):
				label = zeroAtEnd
			}
			listed++
			used[label] = true
			_, free := s.free[label]
			_, told := s.told[label]
			switch {
			case label == "":
				t.Errorf("byte %d, %q to %q (%d): the change is not noticed", i, old, c, n)
			case free && got.numbers() != whole.numbers():
				t.Errorf("byte %d, %q to %q, %s: free, but %v instead of %v", i, old, c, label, got.numbers(),
					whole.numbers())
			case told && now == report:
				t.Errorf("byte %d, %q to %q, %s: the report does not change", i, old, c, label)
			case !free && !told:
				t.Errorf("byte %d, %q to %q, %s: the change is not noticed", i, old, c, label)
			}
		}
	}
	if step == 1 {
		for _, list := range []map[string]string{s.free, s.told} {
			for label, reason := range list {
				if !used[label] && label != caseOfHex && label != zeroAtEnd || reason == "" {
					t.Errorf("%q is on a list, and was not used, or has no reason", label)
				}
			}
		}
	}
	t.Logf("covers %d bytes, %d changes, %d of them on a list", len(s.data), checked, listed)
}

// other returns a byte that differs from c but is of the same kind, so that text stays well formed.
func other(c byte) byte {
	switch {
	case c >= '0' && c <= '8', c >= 'a' && c <= 'e':
		return c + 1
	case c == '9' || c == 'f':
		return c - 1
	case c >= 'A' && c <= 'Z' || c >= 'g' && c <= 'z':
		return c ^ 0x20
	}
	return c ^ 0xff
}

// isCaseOfHex reports whether replacing data[i] by c changes only the case of a hexadecimal digit.
func isCaseOfHex(data []byte, i int, c byte) bool {
	return data[i]^c == 0x20 && strings.IndexByte("abcdefABCDEF", c) >= 0 && i > 0 &&
		i+1 < len(data) && isHexOrQuote(data[i-1]) && isHexOrQuote(data[i+1])
}

func isHexOrQuote(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEFx\"", c) >= 0 }

// A jsonToken is a token of a JSON text.
type jsonToken struct {
	kind       jsontext.Kind
	isName     bool
	path       string // names that lead to the token, joined by dots
	start, end int    // offsets in the text
}

// jsonTokens returns the tokens of a JSON text.
func jsonTokens(text []byte) (list []jsonToken) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for end := 0; ; {
		token, err := d.ReadToken()
		if err != nil {
			return list
		}
		start := end + bytes.IndexFunc(text[end:], func(r rune) bool {
			return !strings.ContainsRune(" \n\t\r:,", r)
		})
		end = int(d.InputOffset())
		var names []string
		for name := range d.StackPointer().Tokens() {
			if _, err := strconv.Atoi(name); err != nil {
				names = append(names, name)
			}
		}
		in, n := d.StackIndex(d.StackDepth())
		list = append(list, jsonToken{token.Kind(), in == '{' && n%2 == 1, strings.Join(names, "."),
			start, end})
	}
}

// jsonLabels returns a label for each byte of a JSON text. For a byte of a name or a value the
// label is "name" or "value" and the path of names that leads there. Brackets, colons, commas and
// quotes have an empty label.
func jsonLabels(data []byte) []string {
	labels := make([]string, len(data))
	for i, c := range data {
		if c == ' ' || c == '\n' {
			labels[i] = "white space"
		}
	}
	for _, token := range jsonTokens(data) {
		label := "value " + token.path
		if token.isName {
			label = "name " + token.path
		}
		for i := token.start; i < token.end; i++ {
			if labels[i] = ""; !strings.ContainsRune(`{}[]"`, rune(data[i])) {
				labels[i] = label
			}
		}
	}
	return labels
}

// reasons sets dst[label] to reason for each of the labels.
func reasons(dst map[string]string, reason string, labels ...string) {
	for _, l := range labels {
		dst[l] = reason
	}
}

// These are labels of changes that only some bytes of a sample allow.
const (
	caseOfHex = "the case of a hexadecimal digit"
	zeroAtEnd = "a zero at the end of a fraction"

	headerFields = "version, parent, time, bits and nonce of the header"
)

const (
	reasonCase    = "both cases stand for the same digit"
	reasonNotRead = "for people to read, or known to the node alone; docs/check.md says that it " +
		"is not looked at"
	reasonSecond = "the field says a second time what is checked; under another name it is one " +
		"that is not defined, which the report names"
)

func mutationSamples(t *testing.T) []*mutationSample {
	blocks, _ := regtestBlocks(t)
	block := blocks[2]
	blockFile := write(t, "block", block)
	// headerLabels labels the bytes of the header that do not depend on the transactions. size is the
	// number of characters for a byte.
	headerLabels := func(data []byte, size int) []string {
		labels := make([]string, len(data))
		for i := range 80 * size {
			if at := i / size; at < 36 || at >= 68 {
				labels[i] = headerFields
			}
		}
		return labels
	}
	another := map[string]string{headerFields: "with enough work it is another block with the same " +
		"transactions, and the report names its hash"}
	samples := []*mutationSample{
		{name: "bitcoin-block", args: []string{"--network", "regtest", "--spent", regtestSpent, "-"},
			data: block, told: another,
			label: func(data []byte) []string { return headerLabels(data, 1) }},
		{name: "bitcoin-block, hex", args: []string{"--network", "regtest", "--spent", regtestSpent, "-"},
			data: []byte(hex.EncodeToString(block) + "\n"), told: another,
			label: func(data []byte) []string { return headerLabels(data, 2) },
			free:  map[string]string{caseOfHex: reasonCase}},
		{name: "spent outputs", args: []string{"--network", "regtest", "--spent", "-", blockFile},
			data: []byte(readFile(t, regtestSpent))},
		getblockSample(t), nostrSample(t),
		{name: "packed-bip340", args: []string{"--format", "packed-bip340", "-"},
			data: append(commandtest.BIP340Row(t, 1), commandtest.BIP340Row(t, 2)...)},
		{name: "packed-ecdsa", args: []string{"--format", "packed-ecdsa", "-"},
			data: append(commandtest.ECDSARow(t, 1), commandtest.ECDSARow(t, 2)...)},
	}
	// No sample holds packed rows for key recovery, because the Ethereum samples cover recovery.
	return append(samples, ethereumSamples(t)...)
}

func getblockSample(t *testing.T) *mutationSample {
	free := map[string]string{caseOfHex: reasonCase}
	for _, script := range []string{"tx.vout.scriptPubKey", "tx.vin.prevout.scriptPubKey",
		"tx.vin.scriptSig"} {
		reasons(free, reasonNotRead, "name "+script+".asm", "value "+script+".asm")
		if script != "tx.vin.scriptSig" {
			reasons(free, reasonNotRead, "name "+script+".desc", "value "+script+".desc", "name "+script+
				".type", "value "+script+".type")
			reasons(free, reasonSecond, "name "+script+".address")
		}
	}
	reasons(free, "the same number", zeroAtEnd)
	reasons(free, reasonNotRead, "name tx.vin.prevout.generated")
	for _, field := range []string{"confirmations", "mediantime", "difficulty",
		"tx.vin.prevout.height"} {
		reasons(free, reasonNotRead, "name "+field, "value "+field)
	}
	for _, field := range []string{"versionHex", "nTx", "strippedsize", "size", "weight", "tx.hash",
		"tx.size", "tx.vsize", "tx.weight", "tx.fee", "tx.hex", "tx.vout.n"} {
		reasons(free, reasonSecond, "name "+field)
	}
	return &mutationSample{name: "bitcoin-json", text: true, args: []string{"--network", "regtest",
		"-"}, data: []byte(readFile(t, regtestJSON)), label: jsonLabels, free: free}
}

func nostrSample(t *testing.T) *mutationSample {
	event := commandtest.SignedEvent(t, 1, "hello")
	data := fmt.Sprintf("[\"EVENT\",\"sub\",%s]\n%s\n[\"AUTH\",%s]\n", event, strings.Replace(event,
		`"kind"`, `"seen":["x",5],"kind"`, 1), event)
	label := func(data []byte) []string {
		labels := jsonLabels(data)
		for i, l := range labels {
			switch {
			case l == "value ":
				labels[i] = "subscription"
				if data[bytes.LastIndexByte(data[:i], '"')-1] == '[' {
					labels[i] = "" // the kind of an envelope: an unknown one may hold no event
				}
			case data[i] == '\n':
				if labels[i] = ""; i == len(data)-1 {
					labels[i] = "white space"
				}
			}
		}
		return labels
	}
	return &mutationSample{name: "nostr", text: true, args: []string{"-"}, data: []byte(data),
		label: label, free: map[string]string{
			"subscription": "it does not say what is signed",
			"name seen":    "NIP-01 does not define the field",
			"value seen":   "NIP-01 does not define the field",
		}}
}

// exported returns the smallest block of go-ethereum's test chain with at least n transactions of
// different types and with withdrawals.
func exported(t testing.TB, n int) *types.Block {
	stream := rlp.NewStream(strings.NewReader(readFile(t, ethereumExport(t))), 0)
	var best *types.Block
	for {
		b := new(types.Block)
		if stream.Decode(b) != nil {
			return best
		}
		kinds := map[uint8]bool{}
		for _, tx := range b.Transactions() {
			kinds[tx.Type()] = true
		}
		if len(kinds) > 1 && len(b.Transactions()) >= n && (best == nil || b.Size() < best.Size()) {
			best = b
		}
	}
}

const exportedChain = "3503995874084926"

// rpc returns block b as a response to eth_getBlockByNumber.
func rpc(t testing.TB, b *types.Block) []byte {
	fields := map[string]any{}
	clitest.Must(0, json.Unmarshal(clitest.Must(json.Marshal(b.Header())), &fields))
	id, _ := new(big.Int).SetString(exportedChain, 10)
	var txs []map[string]any
	for i, tx := range b.Transactions() {
		one := map[string]any{}
		clitest.Must(0, json.Unmarshal(clitest.Must(json.Marshal(tx)), &one))
		for name, value := range one {
			if value == nil {
				delete(one, name) // a field of another transaction type
			}
		}
		if tx.Type() >= types.DynamicFeeTxType {
			one["gasPrice"] = (*hexutil.Big)(tx.GasTipCap()) // the gas price that was paid
		}
		one["from"] = clitest.Must(types.Sender(types.NewPragueSigner(id), tx))
		one["blockHash"], one["blockNumber"], one["blockTimestamp"], one["transactionIndex"] = b.Hash(),
			hexutil.Uint64(b.NumberU64()), hexutil.Uint64(b.Time()), hexutil.Uint64(i)
		txs = append(txs, one)
	}
	fields["hash"], fields["size"] = b.Hash(), hexutil.Uint64(b.Size())
	fields["uncles"], fields["withdrawals"] = []common.Hash{}, b.Withdrawals()
	fields["transactions"] = txs
	return clitest.Must(json.Marshal(fields))
}

func ethereumSamples(t *testing.T) []*mutationSample {
	block := exported(t, 2)
	var encoded []byte
	for _, b := range linkedBlocks(t, 2) {
		encoded = append(encoded, clitest.Must(rlp.EncodeToBytes(b))...)
	}

	free := map[string]string{caseOfHex: reasonCase}
	told := map[string]string{"name transactions.from": "then the sender is recovered, and " +
		"compared with nothing"}
	text := rpc(t, block)
	for _, l := range slices.Compact(slices.Sorted(slices.Values(jsonLabels(text)))) {
		field, isName := strings.CutPrefix(l, "name ")
		switch {
		case !isName || field == "transactions" || field == "transactions.from":
		case !strings.Contains(field, "."):
			reasons(free, "without all fields of its header a block has no hash that could be compared, "+
				"and its rules are the latest ones", l)
		}
	}
	for _, field := range []string{"hash", "blockHash", "blockNumber", "blockTimestamp",
		"transactionIndex", "chainId", "yParity", "type", "gasPrice", "accessList"} {
		reasons(free, reasonSecond, "name transactions."+field)
	}
	if clitest.EveryCase() { // letters other than "V" in place of "v" are refused
		reasons(free, reasonSecond, "name transactions.v")
	}
	reasons(free, "the price that was paid is not what is signed", "value transactions.gasPrice")
	reasons(free, reasonNotRead, "value size")
	// Without its last field, requestsHash, the header would be a valid header of an earlier fork
	// with another hash. So a change of this field's name must fail.
	delete(free, "name requestsHash")
	// Without the root a block is not checkable.
	delete(free, "name transactionsRoot")

	return []*mutationSample{
		{name: "ethereum-json", text: true, args: []string{"--network", exportedChain, "--format",
			"ethereum", "-"}, data: text, label: jsonLabels, free: free, told: told},
		{name: "ethereum-rlp", args: []string{"--network", exportedChain, "--format", "ethereum", "-"},
			data: encoded, label: rlpLabels,
			free: map[string]string{"last header": "no block after it names its hash"}},
	}
}

// rlpLabels returns a label for each byte of encoded blocks. Bytes have a nonempty label if they
// belong to a field of the last header that is no hash of another part of the block, and not its
// parent or number.
func rlpLabels(data []byte) []string {
	labels := make([]string, len(data))
	var block []byte // the content of the last one
	for rest := data; len(rest) > 0; {
		block, rest, _ = rlp.SplitList(rest)
	}
	header, _, _ := rlp.SplitList(block)
	at := bytes.LastIndex(data, header)
	for i := 0; len(header) > 0; i++ {
		_, _, rest, _ := rlp.Split(header)
		for range len(header) - len(rest) {
			if !slices.Contains([]int{0, 1, 4, 8, 16}, i) {
				labels[at] = "last header"
			}
			at++
		}
		header = rest
	}
	return labels
}
