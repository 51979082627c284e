package device_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/engine/enginetest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
)

var update = flag.Bool("update", false, "write answers.txt anew")

// known holds the columns of rows with known answers. The constant good is the number of rows, from
// the first, that are valid in every kind of call. All later rows are bad in some fields.
type known struct {
	secrets, hashes, keys, uncompressed, xonly, points, numbers, sigs65, schnorr, challenges []byte
	set                                                                                      []byte
}

const (
	rows = 9
	good = 3
)

func newKnown() (k known) {
	for i := range rows {
		secret := sha256.Sum256([]byte{byte(i)})
		hash := sha256.Sum256(secret[:])
		key := reference.Must(koblitz.ParsePrivateKey(secret[:]))
		sig65 := reference.Must(ecdsa.SignRecoverable(key, hash[:], nil))
		sig := reference.Must(schnorr.Sign(key, hash[:], &schnorr.SignOptions{Aux: make([]byte, 32)}))
		compressed, uncompressed := key.PublicKey().Bytes(), key.PublicKey().UncompressedBytes()
		xonly := key.XOnlyPublicKey().Bytes()
		points, number := slices.Clone(uncompressed[1:]), uint32(i)
		switch i - good {
		case 0: // the message of another signature
			hash[0] ^= 1
		case 1: // n - s, which is above n/2
			scalar := slices.Clone(sig65[32:64])
			negate(scalar)
			copy(sig65[32:], scalar)
			sig65[64] ^= 1
			negate(sig[32:])
		case 2: // neither a key nor a scalar
			for j := range 32 {
				secret[j], compressed[1+j], xonly[j], uncompressed[1+j] = 0xff, 0xff, 0xff, 0xff
			}
			number = rows + 1
		case 3: // the other parity, and an undefined recovery id
			compressed[0] ^= 1
			sig65[64] = 4
			uncompressed[64] ^= 1
			number = rows // the index in the set that holds no key
		case 4: // secret, r and point are zeros
			clear(secret[:])
			clear(sig65[:32])
			clear(sig[:32])
			clear(points)
		case 5: // s is not below n
			for j := range 32 {
				sig65[32+j], sig[32+j] = 0xff, 0xff
			}
		}
		challenge := reference.TaggedHash("BIP0340/challenge", sig[:32], xonly, hash[:])
		k.secrets = append(k.secrets, secret[:]...)
		k.hashes = append(k.hashes, hash[:]...)
		k.keys = append(k.keys, compressed...)
		k.uncompressed = append(k.uncompressed, uncompressed...)
		k.xonly = append(k.xonly, xonly...)
		k.points = append(k.points, points...)
		k.numbers = binary.LittleEndian.AppendUint32(k.numbers, number)
		k.sigs65 = append(k.sigs65, sig65...)
		k.schnorr = append(k.schnorr, sig...)
		k.challenges = append(k.challenges, challenge...)
		k.set = append(k.set, key.PublicKey().UncompressedBytes()[1:]...)
	}
	k.set = append(k.set, make([]byte, 64)...)
	return k
}

// negate replaces the number b, which is below n, by n - b.
func negate(b []byte) {
	n, _ := koblitz.ParsePrivateKey(b)
	copy(b, n.Negate().Bytes())
}

// column returns a column whose fields are width bytes long. Each is at the beginning of a record
// in data that is stride bytes long.
func column(data []byte, width, stride int) device.Column {
	var b []byte
	for ; len(data) > 0; data = data[min(stride, len(data)):] {
		b = append(b, data[:width]...)
	}
	return device.Column{Data: b, Stride: width}
}

// calls returns calls of all kinds on the rows.
func (k *known) calls() (calls []device.Call) {
	add := func(kind device.Kind, rules device.Rules, keys []byte, columns ...device.Column) {
		c := device.Call{Kind: kind, Rules: rules, Rows: rows, Keys: keys}
		copy(c.Columns[:], columns)
		calls = append(calls, c)
	}
	hashes, keys := column(k.hashes, 32, 32), column(k.keys, 33, 33)
	xonly, numbers := column(k.xonly, 32, 32), column(k.numbers, 4, 4)
	sigs64, sigs65 := column(k.sigs65, 64, 65), column(k.sigs65, 65, 65)
	ids, challenges := column(k.sigs65[64:], 1, 65), column(k.challenges, 32, 32)
	bip340, uncompressed := column(k.schnorr, 64, 64), column(k.uncompressed, 65, 65)
	add(device.Schnorr, 0, nil, hashes, xonly, bip340)
	add(device.Schnorr, device.Hashed, nil, challenges, xonly, bip340)
	add(device.PreparedSchnorr, 0, k.set, hashes, numbers, bip340)
	for _, rule := range []device.Rules{0, device.LowS} {
		add(device.ECDSA, rule, nil, hashes, keys, sigs64)
		add(device.ECDSA, rule, nil, hashes, keys, sigs64, ids)
		add(device.ECDSA, rule|device.Uncompressed, nil, hashes, uncompressed, sigs64)
		add(device.ECDSA, rule|device.Uncompressed, nil, hashes, uncompressed, sigs64, ids)
		add(device.PreparedECDSA, rule, k.set, hashes, numbers, sigs64)
		add(device.Recover, rule, nil, hashes, sigs65)
		add(device.RecoverAddress, rule, nil, hashes, sigs65)
	}
	add(device.Decompress, 0, nil, keys)
	add(device.PublicKeys, 0, nil, column(k.secrets, 32, 32))
	return calls
}

// answer computes a call on the CPU, which sets its verdicts and results.
func answer(c *device.Call) {
	c.Verdicts = make([]device.Verdict, c.Rows)
	if n := c.Kind.ResultSize(); n > 0 {
		c.Results = make([]byte, n*c.Rows)
	}
	reference.Must(engine.Do(context.Background(), c, engine.Options{Exact: true}))
}

// lineOf returns a call in the form of a line of answers.txt.
func lineOf(c *device.Call) string {
	fields := []string{c.Kind.String(), fmt.Sprint(uint32(c.Rules)), fmt.Sprint(c.Rows)}
	verdicts := make([]byte, len(c.Verdicts))
	for i, v := range c.Verdicts {
		verdicts[i] = byte(v)
	}
	for _, col := range c.Columns {
		fields = append(fields, fmt.Sprintf("%x", col.Data))
	}
	fields = append(fields, fmt.Sprintf("%x", c.Keys), fmt.Sprintf("%x", verdicts),
		fmt.Sprintf("%x", c.Results))
	for i, f := range fields {
		if f == "" {
			fields[i] = "-"
		}
	}
	return strings.Join(fields, " ") + "\n"
}

// TestAnswers checks that answers.txt holds the CPU's answers, for valid and malformed rows.
func TestAnswers(t *testing.T) {
	k := newKnown()
	var text strings.Builder
	for _, c := range k.calls() {
		answer(&c)
		for i := range good {
			if c.Verdicts[i] != device.Valid {
				t.Errorf("%v, rules %#x: row %d is %v", c.Kind, c.Rules, i, c.Verdicts[i])
			}
		}
		if !slices.Contains(c.Verdicts, device.Malformed) {
			t.Errorf("%v, rules %#x: the verdicts are %v", c.Kind, c.Rules, c.Verdicts)
		}
		text.WriteString(lineOf(&c))
		all, ok := map[device.Kind]device.Kind{
			device.Schnorr: device.AllSchnorr, device.ECDSA: device.AllECDSA,
		}[c.Kind]
		if !ok || all == device.AllECDSA && c.Columns[3].Data == nil {
			continue
		}
		c.Kind, c.Verdicts = all, []device.Verdict{device.Unchecked}
		text.WriteString(lineOf(&c))
		c.Rows, c.Verdicts = good, []device.Verdict{device.Valid}
		for i := range c.Columns {
			if col := &c.Columns[i]; col.Data != nil {
				col.Data = col.Data[:good*col.Stride]
			}
		}
		text.WriteString(lineOf(&c))
	}
	text.WriteString(lineOf(k.sum()))
	if *update {
		if err := os.WriteFile("answers.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile("answers.txt")
	if err != nil || string(file) != text.String() {
		t.Errorf("answers.txt is not what -update writes (%v)", err)
	}
}

// sum returns a call of kind Sum. Its terms are the points of the valid rows, the first point again
// with another scalar, and the identity.
func (k *known) sum() *device.Call {
	scalars := slices.Concat(k.hashes[:good*32], k.hashes[:64])
	points := slices.Concat(k.points[:good*64], k.points[:64], make([]byte, 64))
	sum := reference.Must(msm.PackedSumVartime(context.Background(), scalars, points, nil))
	key := reference.Must(sum.PublicKey())
	return &device.Call{
		Kind: device.Sum, Rows: good + 2,
		Columns:  [4]device.Column{{Data: scalars, Stride: 32}, {Data: points, Stride: 64}},
		Verdicts: []device.Verdict{device.Valid}, Results: key.UncompressedBytes()[1:],
	}
}

// A run is the method Run of an engine.
type run = func(context.Context, *device.Call) error

// exact carries out calls on the CPU, and then calls after.
func exact(after run) run {
	return enginetest.OnCPU(engine.Do, engine.All, engine.Options{Exact: true}, after)
}

// perRow accepts the kinds that have a verdict per row, under the rules that are defined.
func perRow(k device.Kind, r device.Rules, rows int) bool {
	return k >= device.Schnorr && k <= device.RecoverAddress && k != device.Sum &&
		k != device.AllSchnorr && k != device.AllECDSA &&
		r&^(device.LowS|device.Hashed|device.Uncompressed) == 0
}

// oneVerdict accepts the kinds that have one verdict for all rows, under the rules that are defined
// for them.
func oneVerdict(k device.Kind, r device.Rules, _ int) bool {
	return k == device.AllSchnorr && r&^device.Hashed == 0 ||
		k == device.AllECDSA && r&^(device.LowS|device.Uncompressed) == 0
}

// changed returns a function that carries out a changed copy of a call on the CPU, and takes its
// verdict over.
func changed(change func(c *device.Call)) run {
	return func(ctx context.Context, c *device.Call) error {
		without := *c
		change(&without)
		return exact(nil)(ctx, &without)
	}
}

// wellFormed reports that all rows of a call are valid if they are well formed.
func wellFormed(ctx context.Context, c *device.Call) error {
	rows := *c
	if rows.Kind = device.Schnorr; c.Kind == device.AllECDSA {
		rows.Kind = device.ECDSA
	}
	rows.Verdicts = make([]device.Verdict, rows.Rows)
	_, err := engine.Do(ctx, &rows, engine.Options{Exact: true})
	if !slices.Contains(rows.Verdicts, device.Malformed) {
		c.Verdicts[0] = device.Valid
	}
	return err
}

// TestNew checks that New accepts an engine with correct answers and refuses engines with wrong
// ones.
func TestNew(t *testing.T) {
	honest := &enginetest.Fake{Accept: perRow, Do: exact(nil)}
	d := reference.Must(device.New(honest))
	if d.Engine() != device.Engine(honest) || !d.Accepts(device.Schnorr, 0, 1) {
		t.Error("a device has another engine")
	}
	if _, err := device.New(nil); err == nil {
		t.Error("a device of no engine")
	}
	few := func(k device.Kind, r device.Rules, rows int) bool {
		return rows <= 100 && perRow(k, r, rows)
	}
	spoil := func(change func(c *device.Call)) run {
		return exact(func(_ context.Context, c *device.Call) error {
			change(c)
			return nil
		})
	}
	badIsGood := spoil(func(c *device.Call) { c.Verdicts[c.Rows-1] = device.Valid })
	ignoresLowS := changed(func(c *device.Call) { c.Rules &^= device.LowS })
	firstRow := changed(func(c *device.Call) { c.Rows = 1 })
	for name, e := range map[string]*enginetest.Fake{
		"accepts anything": {Do: exact(nil)},
		"fails": {Accept: perRow, Do: func(context.Context, *device.Call) error {
			return context.Canceled
		}},
		"calls a bad row good":                  {Accept: perRow, Do: badIsGood},
		"calls a bad row good, and accepts few": {Accept: few, Do: badIsGood},
		"calls a good row bad": {Accept: perRow, Do: spoil(func(c *device.Call) {
			c.Verdicts[0] = device.Invalid
		})},
		"has a wrong result": {Accept: perRow, Do: spoil(func(c *device.Call) {
			if len(c.Results) > 0 {
				c.Results[1] ^= 1
			}
		})},
		"ignores a rule": {Accept: perRow, Do: ignoresLowS},

		// These give one verdict for all rows.
		"ignores LowS":         {Accept: oneVerdict, Do: ignoresLowS},
		"ignores the messages": {Accept: oneVerdict, Do: wellFormed},
		"ignores a key": {Accept: oneVerdict, Do: changed(func(c *device.Call) {
			if c.Rules&device.Uncompressed != 0 {
				c.Rows = 1
			}
		})},
		"looks at the first row alone": {Accept: oneVerdict, Do: firstRow},
		"takes the verdicts away": {Accept: oneVerdict, Do: func(
			_ context.Context, c *device.Call,
		) error {
			c.Verdicts[0], c.Verdicts = device.Valid, nil
			return nil
		}},
	} {
		if _, err := device.New(e); err == nil {
			t.Errorf("an engine that %s is not refused", name)
		}
	}
	for name, e := range map[string]*enginetest.Fake{
		"one verdict for all": {Accept: oneVerdict, Do: exact(nil)},
		"rows that are left to the CPU": {Accept: perRow, Do: spoil(func(c *device.Call) {
			clear(c.Verdicts)
			clear(c.Results)
		})},
	} {
		if _, err := device.New(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// An engine that accepts one more kind, or one more rule, for many rows alone, is refused too.
	more := func(kind device.Kind, rules device.Rules) {
		t.Helper()
		e := &enginetest.Fake{Do: honest.Do, Accept: func(k device.Kind, r device.Rules, rows int) bool {
			return perRow(k, r, rows) || k == kind && r == rules && rows >= 1<<20
		}}
		if _, err := device.New(e); err == nil {
			t.Errorf("an engine that accepts %v with the rules %#x is not refused", kind, rules)
		}
	}
	for k := range 256 {
		if k := device.Kind(k); k < device.Schnorr || k > device.RecoverAddress {
			more(k, 0)
			continue
		}
		for bit := 3; bit < 32; bit++ {
			more(device.Kind(k), 1<<bit)
		}
	}
}
