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

func newKnown(t *testing.T) (k known) {
	for i := range rows {
		secret := sha256.Sum256([]byte{byte(i)})
		hash := sha256.Sum256(secret[:])
		key, err := koblitz.ParsePrivateKey(secret[:])
		if err != nil {
			t.Fatal(err)
		}
		sig65, err := ecdsa.SignRecoverable(key, hash[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := schnorr.Sign(key, hash[:], &schnorr.SignOptions{Aux: make([]byte, 32)})
		if err != nil {
			t.Fatal(err)
		}
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
		tag := sha256.Sum256([]byte("BIP0340/challenge"))
		challenge := sha256.Sum256(slices.Concat(tag[:], tag[:], sig[:32], xonly, hash[:]))
		k.secrets = append(k.secrets, secret[:]...)
		k.hashes = append(k.hashes, hash[:]...)
		k.keys = append(k.keys, compressed...)
		k.uncompressed = append(k.uncompressed, uncompressed...)
		k.xonly = append(k.xonly, xonly...)
		k.points = append(k.points, points...)
		k.numbers = binary.LittleEndian.AppendUint32(k.numbers, number)
		k.sigs65 = append(k.sigs65, sig65...)
		k.schnorr = append(k.schnorr, sig...)
		k.challenges = append(k.challenges, challenge[:]...)
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
func answer(t *testing.T, c *device.Call) {
	c.Verdicts = make([]device.Verdict, c.Rows)
	if n := c.Kind.ResultSize(); n > 0 {
		c.Results = make([]byte, n*c.Rows)
	}
	if _, err := engine.Do(context.Background(), c, engine.Options{Exact: true}); err != nil {
		t.Fatal(err)
	}
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
	k := newKnown(t)
	var text strings.Builder
	for _, c := range k.calls() {
		answer(t, &c)
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
	text.WriteString(lineOf(k.sum(t)))
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
func (k *known) sum(t *testing.T) *device.Call {
	scalars := slices.Concat(k.hashes[:good*32], k.hashes[:64])
	points := slices.Concat(k.points[:good*64], k.points[:64], make([]byte, 64))
	sum, err := msm.PackedSumVartime(context.Background(), scalars, points, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := sum.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return &device.Call{
		Kind: device.Sum, Rows: good + 2,
		Columns:  [4]device.Column{{Data: scalars, Stride: 32}, {Data: points, Stride: 64}},
		Verdicts: []device.Verdict{device.Valid}, Results: key.UncompressedBytes()[1:],
	}
}

// A liar is an engine that computes calls on the CPU and then changes the answers with spoil.
type liar struct {
	spoil func(c *device.Call) error
	any   bool // whether to accept every call
	most  int  // greatest number of rows of a call that it accepts; 0: any number
}

func (l *liar) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return l.any || (l.most == 0 || rows <= l.most) &&
		k >= device.Schnorr && k <= device.RecoverAddress && k != device.Sum &&
		k != device.AllSchnorr && k != device.AllECDSA &&
		r&^(device.LowS|device.Hashed|device.Uncompressed) == 0
}

func (l *liar) Run(ctx context.Context, c *device.Call) error {
	if _, err := engine.Do(ctx, c, engine.Options{Exact: true}); err != nil {
		return err
	}
	return l.spoil(c)
}

// A surprise is an engine that changes answers, as a liar does. It also accepts one more kind with
// certain rules, but only for many rows.
type surprise struct {
	liar
	kind  device.Kind
	rules device.Rules
}

func (s *surprise) Accepts(k device.Kind, r device.Rules, rows int) bool {
	return s.liar.Accepts(k, r, rows) || k == s.kind && r == s.rules && rows >= 1<<20
}

// A together is an engine for AllSchnorr and AllECDSA that changes calls with spoil before it
// computes their answers on the CPU.
type together struct {
	t     *testing.T
	spoil func(c *device.Call) // if nil, write the verdict to memory that the host does not read
}

func (e *together) Accepts(k device.Kind, r device.Rules, _ int) bool {
	return k == device.AllSchnorr && r&^device.Hashed == 0 ||
		k == device.AllECDSA && r&^(device.LowS|device.Uncompressed) == 0
}

func (e *together) Run(ctx context.Context, c *device.Call) error {
	if e.spoil == nil {
		c.Verdicts[0], c.Verdicts = device.Valid, nil
		return nil
	}
	rows := *c
	e.spoil(&rows)
	rows.Kind = device.Schnorr
	if c.Kind == device.AllECDSA {
		rows.Kind = device.ECDSA
	}
	if rows.Columns[0].Data == nil { // judge only whether rows are well formed
		rows.Columns[0], rows.Verdicts = c.Columns[0], make([]device.Verdict, rows.Rows)
		if _, err := engine.Do(ctx, &rows, engine.Options{Exact: true}); err != nil {
			return err
		}
		if !slices.Contains(rows.Verdicts, device.Malformed) {
			c.Verdicts[0] = device.Valid
		}
		return nil
	}
	ok, err := engine.All(ctx, &rows, engine.Options{Exact: true})
	if ok {
		c.Verdicts[0] = device.Valid
	}
	return err
}

// TestNew checks that New accepts an engine with correct answers and refuses engines with wrong
// ones.
func TestNew(t *testing.T) {
	honest := &liar{spoil: func(*device.Call) error { return nil }}
	d, err := device.New(honest)
	if err != nil {
		t.Fatal(err)
	}
	if d.Engine() != device.Engine(honest) || !d.Accepts(device.Schnorr, 0, 1) {
		t.Error("a device has another engine")
	}
	if _, err := device.New(nil); err == nil {
		t.Error("a device of no engine")
	}
	for name, l := range map[string]*liar{
		"accepts anything": {any: true, spoil: honest.spoil},
		"fails":            {spoil: func(*device.Call) error { return context.Canceled }},
		"calls a bad row good": {spoil: func(c *device.Call) error {
			c.Verdicts[c.Rows-1] = device.Valid
			return nil
		}},
		"calls a bad row good, and accepts few": {most: 100, spoil: func(c *device.Call) error {
			c.Verdicts[c.Rows-1] = device.Valid
			return nil
		}},
		"calls a good row bad": {spoil: func(c *device.Call) error {
			c.Verdicts[0] = device.Invalid
			return nil
		}},
		"has a wrong result": {spoil: func(c *device.Call) error {
			if len(c.Results) > 0 {
				c.Results[1] ^= 1
			}
			return nil
		}},
		"ignores a rule": {spoil: func(c *device.Call) error {
			if c.Rules&device.LowS != 0 {
				without := *c
				without.Rules &^= device.LowS
				_, err := engine.Do(context.Background(), &without, engine.Options{Exact: true})
				return err
			}
			return nil
		}},
	} {
		if _, err := device.New(l); err == nil {
			t.Errorf("an engine that %s is not refused", name)
		}
	}
	for name, spoil := range map[string]func(c *device.Call){
		"ignores LowS":         func(c *device.Call) { c.Rules &^= device.LowS },
		"ignores the messages": func(c *device.Call) { c.Columns[0] = device.Column{} },
		"ignores a key": func(c *device.Call) {
			if c.Rules&device.Uncompressed != 0 {
				c.Rows = 1
			}
		},
		"looks at the first row alone": func(c *device.Call) { c.Rows = 1 },
		"takes the verdicts away":      nil,
	} {
		if _, err := device.New(&together{t, spoil}); err == nil {
			t.Errorf("an engine that %s where all rows have one verdict is not refused", name)
		}
	}
	if _, err := device.New(&together{t, func(*device.Call) {}}); err != nil {
		t.Error(err)
	}
	for k := range 256 {
		if k := device.Kind(k); k < device.Schnorr || k > device.RecoverAddress {
			if _, err := device.New(&surprise{liar: *honest, kind: k}); err == nil {
				t.Errorf("an engine that accepts %v is not refused", k)
			}
			continue
		}
		for bit := 3; bit < 32; bit++ {
			e := &surprise{liar: *honest, kind: device.Kind(k), rules: 1 << bit}
			if _, err := device.New(e); err == nil {
				t.Errorf("an engine that accepts %v with the rules %#x is not refused", e.kind, e.rules)
			}
		}
	}
	lazy := &liar{spoil: func(c *device.Call) error {
		clear(c.Verdicts)
		clear(c.Results)
		return nil
	}}
	if _, err := device.New(lazy); err != nil {
		t.Errorf("rows that are left to the CPU: %v", err)
	}
}
