package bitcoin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// deep reports whether tests run many cases, as in CI, instead of a few.
func deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// oneIn returns the step from one tested case to the next: n, or 1 if deep returns true.
func oneIn(n int) int {
	if deep() {
		return 1
	}
	return n
}

// coreData returns the path of one of Bitcoin Core's test vectors in btcd's txscript package.
func coreData(name string) string {
	return filepath.Join(moduleDir("github.com/btcsuite/btcd/txscript/v2"), "data", name)
}

// rulesOf returns the consensus rules for flags, which lists names of Bitcoin Core's script flags.
// policy lists the flags that are not consensus rules.
func rulesOf(flags string) (r bitcoin.Rules, policy []string) {
	rules := map[string]*bool{"P2SH": &r.P2SH, "DERSIG": &r.StrictDER, "CHECKLOCKTIMEVERIFY": &r.CLTV,
		"CHECKSEQUENCEVERIFY": &r.CSV, "WITNESS": &r.Segwit, "NULLDUMMY": &r.NullDummy,
		"TAPROOT": &r.Taproot, "": new(bool), "NONE": new(bool)}
	for _, f := range strings.Split(flags, ",") {
		if rule := rules[f]; rule != nil {
			*rule = true
		} else {
			policy = append(policy, f)
		}
	}
	// Only RulesOf returns rules under which inputs are judged. It refuses WITNESS without P2SH.
	if checked, err := bitcoin.RulesOf(r.Flags()); err == nil {
		r = checked
	}
	return r, policy
}

func fromHex(digits string) []byte { return must(hex.DecodeString(digits)) }

// txOf decodes a transaction in hex.
func txOf(digits string) *wire.MsgTx {
	c := wireform.Cursor{Data: fromHex(digits)}
	tx, _ := c.Transaction()
	if c.Err != nil {
		panic(c.Err)
	}
	return tx
}

// vectors counts the inputs of test vectors, and by kind those that the script engine does not
// accept.
type vectors struct {
	n     int
	kinds map[string]int
}

// check fails the test unless our verdict on input i of tx, and the library's, is the wanted one.
func (c *vectors) check(t testing.TB, what any, tx *wire.MsgTx, spent []wireform.Output, i int,
	r bitcoin.Rules, want bool) {
	u := unitOf(tx, spent, i, r)
	v := judge(&u)
	if takes(v) != want || v == reading.NotCheckable || v == reading.Unchecked {
		t.Errorf("%v, input %d: verdict %v, want %t: %s, %s", what, i, v, want, u.Kind, u.Reason)
	}
	libraryAgrees(t, tx, spent, i, r, want)
	c.n++
	if u.Decided != reading.EngineChecked && u.Decided != reading.Unsigned {
		c.kinds[u.Kind]++
	}
}

// enough fails the test if there were fewer than n inputs, or none of one of the kinds.
func (c *vectors) enough(t testing.TB, n int, kinds ...string) {
	for _, kind := range kinds {
		if c.n < n || c.kinds[kind] == 0 {
			t.Errorf("only %d inputs, %v", c.n, c.kinds)
		}
	}
}

// TestCoreTaproot checks that our verdicts agree with the vectors that Bitcoin Core's functional
// test of taproot produces. The vectors spend key paths, script paths, and segwit and legacy
// outputs in many ways. Each vector has a witness that succeeds, one that fails, or both.
func TestCoreTaproot(t *testing.T) {
	type spend struct {
		ScriptSig string   `json:"scriptSig"`
		Witness   []string `json:"witness"`
	}
	files := must(filepath.Glob(coreData("taproot-ref/*")))
	count := vectors{kinds: map[string]int{}}
	for k, name := range files {
		if !deep() && k%10 != 0 {
			continue
		}
		var c struct {
			Tx               string
			Prevouts         []string
			Index            int
			Flags, Comment   string
			Success, Failure *spend
		}
		b := must(os.ReadFile(name))
		noError(json.Unmarshal(bytes.TrimRight(b, ", \n"), &c))
		r, policy := rulesOf(c.Flags)
		if len(policy) > 0 {
			continue
		}
		tx := txOf(c.Tx)
		var spent []wireform.Output
		for _, p := range c.Prevouts {
			cur := wireform.Cursor{Data: fromHex(p)}
			amount := int64(cur.Uint64(""))
			spent = append(spent, wireform.Output{Known: true, Amount: amount, Script: cur.Script("")})
		}
		for _, s := range []*spend{c.Success, c.Failure} {
			if s == nil {
				continue
			}
			in := tx.TxIn[c.Index]
			in.SignatureScript, in.Witness = fromHex(s.ScriptSig), nil
			for _, w := range s.Witness {
				in.Witness = append(in.Witness, fromHex(w))
			}
			count.check(t, c.Comment, tx, spent, c.Index, r, s == c.Success)
		}
	}
	count.enough(t, 500, "p2tr key path")
}

// shortForm assembles the script that s describes in the notation of Bitcoin Core's vectors.
func shortForm(s string) []byte {
	b := txscript.NewScriptBuilder(txscript.WithScriptAllocSize(1 << 16))
	var out []byte
	flush := func() {
		out = append(out, must(b.Script())...)
		b.Reset()
	}
	for _, w := range strings.Fields(s) {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			b.AddInt64(n)
			flush()
		} else if raw, ok := strings.CutPrefix(w, "0x"); ok {
			out = append(out, fromHex(raw)...)
		} else if len(w) >= 2 && w[0] == '\'' {
			b.AddFullData([]byte(w[1 : len(w)-1]))
			flush()
		} else {
			op, ok := txscript.OpcodeByName["OP_"+strings.TrimPrefix(w, "OP_")]
			if !ok {
				panic("no opcode " + w)
			}
			out = append(out, op)
		}
	}
	return out
}

// policyErrors lists the names of Bitcoin Core's errors for violations of policy rules. SCRIPTNUM
// is in the list because it reports numbers that are not minimally encoded.
var policyErrors = []string{
	"SIG_HASHTYPE", "PUBKEYTYPE", "SIG_HIGH_S", "MINIMALDATA", "SCRIPTNUM", "SIG_PUSHONLY",
	"CLEANSTACK", "DISCOURAGE_UPGRADABLE_NOPS",
	"DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", "MINIMALIF", "NULLFAIL", "SIG_NULLFAIL",
	"WITNESS_PUBKEYTYPE", "OP_CODESEPARATOR", "SIG_FINDANDDELETE",
}

// TestCoreScripts checks Bitcoin Core's script_tests.json. A script that Core's policy accepts must
// be valid under consensus rules. A script that the policy refuses is compared only if consensus
// rules refuse it too.
func TestCoreScripts(t *testing.T) {
	var all [][]any
	noError(json.Unmarshal(must(os.ReadFile(coreData("script_tests.json"))), &all))
	count := vectors{kinds: map[string]int{}}
	for _, c := range all {
		if len(c) < 4 {
			continue
		}
		var witness wire.TxWitness
		amount := int64(0)
		if w, ok := c[0].([]any); ok {
			c = c[1:]
			amount = int64(w[len(w)-1].(float64)*1e8 + 0.5)
			w = w[:len(w)-1]
			if slices.ContainsFunc(w, func(item any) bool { return strings.HasPrefix(item.(string), "#") }) {
				continue // the vector is a template for tapscript
			}
			for _, item := range w {
				witness = append(witness, fromHex(item.(string)))
			}
		}
		flags, want := c[2].(string), c[3].(string)
		r, _ := rulesOf(flags)
		if r.Taproot || strings.Contains(c[1].(string), "#") {
			continue
		}
		// Core also reports SIG_DER and SIG_NULLDUMMY under policy flags, which this package does not
		// implement.
		if slices.Contains(policyErrors, want) || want == "SIG_DER" && !r.StrictDER ||
			want == "SIG_NULLDUMMY" && !r.NullDummy {
			continue
		}
		sigScript, pkScript := shortForm(c[0].(string)), shortForm(c[1].(string))
		// Each vector's signatures are made for the following two transactions.
		from := &wire.MsgTx{Version: 1}
		from.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Index: 1<<32 - 1},
			SignatureScript: []byte{0, 0}, Sequence: 1<<32 - 1})
		from.AddTxOut(wire.NewTxOut(amount, pkScript))
		tx := &wire.MsgTx{Version: 1}
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: from.TxHash()},
			SignatureScript: sigScript, Witness: witness, Sequence: 1<<32 - 1})
		tx.AddTxOut(wire.NewTxOut(amount, nil))
		count.check(t, c, tx, []wireform.Output{{Known: true, Amount: amount, Script: pkScript}}, 0, r,
			want == "OK")
	}
	count.enough(t, 500, "p2pk", "multisig", "p2sh-p2wsh-p2pk")
}

// TestCoreTransactions checks Bitcoin Core's tx_valid.json. Each input must be valid under all
// rules except those that its vector excludes.
func TestCoreTransactions(t *testing.T) {
	var all [][]any
	noError(json.Unmarshal(must(os.ReadFile(coreData("tx_valid.json"))), &all))
	count := vectors{kinds: map[string]int{}}
	for _, c := range all {
		if len(c) != 3 {
			continue
		}
		r := now
		without, _ := rulesOf(c[2].(string))
		r.P2SH = !without.P2SH
		r.StrictDER = !without.StrictDER
		r.CLTV, r.CSV = !without.CLTV, !without.CSV
		r.Segwit = r.P2SH && !without.Segwit
		r.NullDummy = !without.NullDummy
		r.Taproot = r.Segwit && !without.Taproot
		tx := txOf(c[1].(string))
		spent := make([]wireform.Output, len(tx.TxIn))
		for _, p := range c[0].([]any) {
			p := p.([]any)
			id := must(chainhash.NewHashFromStr(p[0].(string)))
			o := wireform.Output{Known: true, Script: shortForm(p[2].(string))}
			if len(p) > 3 {
				o.Amount = int64(p[3].(float64))
			}
			for i, in := range tx.TxIn {
				if in.PreviousOutPoint == (wire.OutPoint{Hash: *id, Index: uint32(int64(p[1].(float64)))}) {
					spent[i] = o
				}
			}
		}
		for i := range tx.TxIn {
			count.check(t, c, tx, spent, i, r, true)
		}
	}
	count.enough(t, 100, "p2pkh")
}
