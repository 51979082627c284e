package bitcoin

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
)

// paymentVectors is the file of BIP-352's vectors.
const paymentVectors = "../vectors/testdata/bip352.json.gz"

// A paymentInput is an input as in BIP-352's vectors.
type paymentInput struct {
	TxID        string
	Vout        uint32
	ScriptSig   string
	TxInWitness string
	Prevout     struct{ ScriptPubKey struct{ Hex string } }
}

// paymentTx returns a transaction with the given inputs and taproot outputs, and the outputs that
// it spends.
func paymentTx(t *testing.T, inputs []paymentInput, outputs []string) (*wire.MsgTx, []Output) {
	t.Helper()
	tx := wire.NewMsgTx(2)
	var spent []Output
	for _, in := range inputs {
		id, err := chainhash.NewHashFromStr(in.TxID)
		if err != nil {
			t.Fatal(err)
		}
		var witness wire.TxWitness
		if r := bytes.NewReader(decodeHex(t, in.TxInWitness)); r.Len() > 0 {
			n, err := wire.ReadVarInt(r, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range n {
				item, err := wire.ReadVarBytes(r, 0, 1<<20, "item")
				if err != nil {
					t.Fatal(err)
				}
				witness = append(witness, item)
			}
		}
		tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(id, in.Vout), decodeHex(t, in.ScriptSig), witness))
		spent = append(spent, Output{Known: true, Script: decodeHex(t, in.Prevout.ScriptPubKey.Hex)})
	}
	for _, x := range outputs {
		tx.AddTxOut(wire.NewTxOut(1000, append([]byte{txscript.OP_1, txscript.OP_DATA_32},
			decodeHex(t, x)...)))
	}
	return tx, spent
}

func decodeHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPaymentVectors compares the keys and public tweaks with all vectors of BIP-352. In the two
// vectors without a tweak, all inputs are ineligible, or their keys add up to zero.
func TestPaymentVectors(t *testing.T) {
	file, err := os.Open(paymentVectors)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Comment string
		Sending []struct {
			Expected struct {
				Keys []string `json:"input_pub_keys"`
			}
		}
		Receiving []struct {
			Given struct {
				Vin     []paymentInput
				Outputs []string
			}
			Expected struct{ Tweak string }
		}
	}
	if err := json.NewDecoder(text).Decode(&cases); err != nil {
		t.Fatal(err)
	}
	tweaks, without := 0, 0
	for _, c := range cases {
		for _, r := range c.Receiving {
			outputs := r.Given.Outputs
			if len(outputs) == 0 { // the sender made none, because there is no tweak
				outputs = []string{hex.EncodeToString(nums[:])}
			}
			tx, spent := paymentTx(t, r.Given.Vin, outputs)
			keys, err := SilentPaymentKeys(tx, spent)
			var got []string
			for _, k := range keys {
				got = append(got, hex.EncodeToString(k.Bytes()))
			}
			if want := c.Sending[0].Expected.Keys; !slices.Equal(got, want) {
				t.Errorf("%s: keys %v, want %v; %v", c.Comment, got, want, err)
			}
			tweak, err := PublicTweak(tx, spent)
			switch {
			case r.Expected.Tweak == "":
				without++
				if !errors.Is(err, ErrNoTweak) {
					t.Errorf("%s: %v, %v", c.Comment, tweak, err)
				}
			case err != nil:
				t.Errorf("%s: %v", c.Comment, err)
			default:
				if tweaks++; !bytes.Equal(tweak.Bytes(), decodeHex(t, r.Expected.Tweak)) {
					t.Errorf("%s: tweak %v, want %s", c.Comment, tweak, r.Expected.Tweak)
				}
			}
		}
	}
	if len(cases) != 28 || tweaks != 27 || without != 2 {
		t.Errorf("%d cases, %d tweaks and %d without", len(cases), tweaks, without)
	}
}

// TestPaymentKeys checks which inputs and transactions are eligible for silent payments.
func TestPaymentKeys(t *testing.T) {
	key := decodeHex(t, "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	generator, err := koblitz.ParsePublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	full := generator.UncompressedBytes()
	sig := bytes.Repeat([]byte{9}, 71)
	join := func(parts ...any) (b []byte) {
		for _, p := range parts {
			switch p := p.(type) {
			case int:
				b = append(b, byte(p))
			case []byte:
				b = append(b, p...)
			}
		}
		return b
	}
	hash := func(b []byte) []byte { return bytes.Clone(new(Judge).hash160(b)) }
	pkh := func(key []byte) []byte { return join(0x76, 0xa9, 20, hash(key), 0x88, 0xac) }
	wpkh := func(key []byte) []byte { return join(0, 20, hash(key)) }
	sh := func(redeem []byte) []byte { return join(0xa9, 20, hash(redeem), 0x87) }
	taproot := join(0x51, 32, key[1:])
	outside := make([]byte, 32) // no point has x = 0
	annex := []byte{0x50, 1}
	control := join(0xc0, key[1:])
	secretless := join(0xc1, nums[:], make([]byte, 32))

	for _, c := range []struct {
		name    string
		spent   []byte
		script  []byte
		witness wire.TxWitness
		want    []byte // nil if the input is not eligible
	}{
		{"P2PKH", pkh(key), join(71, sig, 33, key), nil, key},
		{"P2PKH, data after the key", pkh(key), join(71, sig, 33, key, 0x61, 2, 1, 1), nil, key},
		{"P2PKH, another key after it", pkh(key), join(33, key, 33, 3, key[1:]), nil, key},
		{"P2PKH, uncompressed", pkh(full), join(71, sig, 65, full), nil, nil},
		{"P2PKH, another key", pkh(key), join(71, sig, 33, 3, key[1:]), nil, nil},
		{"P2PKH, no script", pkh(key), nil, nil, nil},
		{"P2PKH of 33 bytes that are no key", pkh(join(2, outside)), join(33, 2, outside), nil, nil},
		{"P2WPKH", wpkh(key), nil, wire.TxWitness{sig, key}, key},
		{"P2WPKH, uncompressed", wpkh(full), nil, wire.TxWitness{sig, full}, nil},
		{"P2WPKH, no witness", wpkh(key), nil, nil, nil},
		{"P2SH-P2WPKH", sh(wpkh(key)), join(22, wpkh(key)), wire.TxWitness{sig, key}, key},
		{"P2SH-P2WPKH, two pushes", sh(wpkh(key)), join(1, 1, 22, wpkh(key)), wire.TxWitness{sig, key},
			nil},
		{"P2SH of another script", sh(key), join(33, key), nil, nil},
		{"P2SH of P2PKH", sh(pkh(key)), join(71, sig, 33, key, 25, pkh(key)), nil, nil},
		{"P2TR, key path", taproot, nil, wire.TxWitness{sig[:64]}, key},
		{"P2TR, key path and annex", taproot, nil, wire.TxWitness{sig[:64], annex}, key},
		{"P2TR, script path", taproot, nil, wire.TxWitness{sig, key, control}, key},
		{"P2TR, script path and annex", taproot, nil, wire.TxWitness{sig, key, control, annex}, key},
		{"P2TR, script path of H", taproot, nil, wire.TxWitness{sig, key, secretless}, nil},
		{"P2TR, script path of H and annex", taproot, nil, wire.TxWitness{key, secretless, annex}, nil},
		{"P2TR, key path whose item begins like an annex", taproot, nil, wire.TxWitness{annex}, key},
		{"P2TR, empty items", taproot, nil, wire.TxWitness{nil, nil}, key},
		{"P2TR, no witness", taproot, nil, nil, nil},
		{"P2TR of no point", join(0x51, 32, outside), nil, wire.TxWitness{sig[:64]}, nil},
		{"P2PK", join(33, key, 0xac), join(71, sig), nil, nil},
		{"P2WSH", join(0, 32, key[1:]), nil, wire.TxWitness{sig, key}, nil},
		{"SegWit version 1 of 2 bytes", join(0x51, 2, 0x4e, 0x73), nil, nil, nil},
	} {
		tx := wire.NewMsgTx(2)
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 7}, c.script, c.witness))
		tx.AddTxOut(wire.NewTxOut(0, taproot))
		keys, err := SilentPaymentKeys(tx, []Output{{Known: true, Script: c.spent}})
		switch {
		case c.want == nil && (keys != nil || !errors.Is(err, errNoKeys)):
			t.Errorf("%s: %v, %v", c.name, keys, err)
		case c.want != nil && (err != nil || len(keys) != 1 || !bytes.Equal(keys[0].Bytes(), c.want)):
			t.Errorf("%s: %v, %v", c.name, keys, err)
		}
	}

	good := func() (*wire.MsgTx, []Output) {
		tx := wire.NewMsgTx(2)
		for i := range 2 {
			tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: uint32(i)}, nil, wire.TxWitness{sig[:64]}))
		}
		tx.AddTxOut(wire.NewTxOut(0, pkh(key)))
		tx.AddTxOut(wire.NewTxOut(0, taproot))
		return tx, []Output{{Known: true, Script: taproot}, {Known: true, Script: taproot}}
	}
	for _, c := range []struct {
		name   string
		change func(tx *wire.MsgTx, spent *[]Output)
		want   error
	}{
		{"nothing", func(*wire.MsgTx, *[]Output) {}, nil},
		{"coinbase", func(tx *wire.MsgTx, spent *[]Output) {
			tx.TxIn, *spent = tx.TxIn[:1], (*spent)[:1]
			tx.TxIn[0].PreviousOutPoint = wire.OutPoint{Index: math.MaxUint32}
		}, errCoinbase},
		{"no taproot output", func(tx *wire.MsgTx, _ *[]Output) {
			tx.TxOut = tx.TxOut[:1]
		}, errNoTaproot},
		{"SegWit version 2", func(_ *wire.MsgTx, spent *[]Output) {
			(*spent)[1].Script = join(0x52, 32, key[1:])
		}, errLaterSegwit},
		{"SegWit version 16", func(_ *wire.MsgTx, spent *[]Output) {
			(*spent)[0].Script = join(0x60, 2, 1, 1)
		}, errLaterSegwit},
		{"unknown output", func(_ *wire.MsgTx, spent *[]Output) { (*spent)[1].Known = false },
			ErrUnknownOutput},
		{"missing output", func(_ *wire.MsgTx, spent *[]Output) { *spent = (*spent)[:1] },
			ErrUnknownOutput},
		{"sum of zero", func(tx *wire.MsgTx, spent *[]Output) {
			(*spent)[1].Script = wpkh(join(3, key[1:]))
			tx.TxIn[1].Witness = wire.TxWitness{sig, join(3, key[1:])}
		}, ErrNoTweak},
	} {
		tx, spent := good()
		c.change(tx, &spent)
		tweak, err := PublicTweak(tx, spent)
		if !errors.Is(err, c.want) || (tweak == nil) != (c.want != nil) {
			t.Errorf("%s: %v, %v, want %v", c.name, tweak, err, c.want)
		}
		if isNone := c.want != nil && c.want != ErrUnknownOutput; isNone != errors.Is(err, ErrNoTweak) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// BenchmarkPublicTweak measures a transaction with two P2WPKH inputs and two taproot outputs.
func BenchmarkPublicTweak(b *testing.B) {
	key := append([]byte{2}, nums[:]...)
	hash := new(Judge).hash160(key)
	script := append([]byte{txscript.OP_0, txscript.OP_DATA_20}, hash...)
	tx := wire.NewMsgTx(2)
	var spent []Output
	for i := range 2 {
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: uint32(i)}, nil, wire.TxWitness{nil, key}))
		tx.AddTxOut(wire.NewTxOut(0, append([]byte{txscript.OP_1, txscript.OP_DATA_32}, nums[:]...)))
		spent = append(spent, Output{Known: true, Script: script})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := PublicTweak(tx, spent); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzPublicTweak checks that any transaction and any spent output have a tweak or an error, and
// that the tweak does not depend on the order of the inputs.
func FuzzPublicTweak(f *testing.F) {
	f.Add([]byte{2}, []byte{0x51, 32}, []byte{1}, []byte{2})
	f.Fuzz(func(t *testing.T, sigScript, script, item, control []byte) {
		tx := wire.NewMsgTx(2)
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 1}, sigScript, nil))
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 2}, nil, wire.TxWitness{item, control}))
		tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 3}, sigScript, wire.TxWitness{control}))
		tx.AddTxOut(wire.NewTxOut(0, append([]byte{txscript.OP_1, txscript.OP_DATA_32}, nums[:]...)))
		spent := []Output{{Known: true, Script: script}, {Known: true, Script: script},
			{Known: true, Script: append([]byte{txscript.OP_1, txscript.OP_DATA_32}, nums[:]...)}}
		a, err := PublicTweak(tx, spent)
		if (a == nil) == (err == nil) || err != nil && !errors.Is(err, ErrNoTweak) {
			t.Fatalf("%v, %v", a, err)
		}
		slices.Reverse(tx.TxIn)
		slices.Reverse(spent)
		b, err := PublicTweak(tx, spent)
		if (a == nil) != (b == nil) || a != nil && !a.Equal(b) {
			t.Fatalf("%v, and in reverse %v, %v", a, b, err)
		}
	})
}
