package batch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A kind is a call that answers for many rows, with what tests must know of it. Tests loop over all
// kinds; what is special to a kind has tests beside these.
type kind struct {
	name   string
	fields []rowField
	size   int  // the bytes of a row's result in dst
	signs  bool // whether Options.Exact is allowed, or Unchecked of options for secrets
	device bool // whether the call uses Options.Device

	row   func(s *source) [][]byte     // makes the values of a row's fields
	judge func(values [][]byte) answer // says what the call must answer for them

	// One of these is set. They return a call on the given rows, or carry it out.
	verifier func(g given) verifier
	finder   func(g given) finder
	secret   func(g given) secretFinder

	// loose is set if the rows have no columns: an accumulator or a queue.
	loose bool

	once sync.Once
	rows []record // set by all
}

// A rowField is a field of the rows of a kind.
type rowField struct {
	name   string // or "" if the field is no column
	width  int
	widths string // the widths that are allowed, as errors print them
}

// A record is a row: the values of its fields, and what a call must answer for it.
type record struct {
	values [][]byte
	answer
}

// given is what a call gets: a column for each field, and the rows that the columns hold.
type given struct {
	columns []batch.Column
	rows    []record
	memory  [][2][]byte // the memory of the columns, and a copy of it
}

// column adds a column in the given memory.
func (g *given) column(memory []byte, column func(memory []byte) batch.Column) {
	g.memory = append(g.memory, [2][]byte{memory, bytes.Clone(memory)})
	g.columns = append(g.columns, column(memory))
}

type (
	verifier interface {
		Verify(context.Context, []batch.Verdict, *batch.Options) (int, error)
		VerifyAll(context.Context, int, *batch.Options) (bool, error)
	}
	finder = func(context.Context, []byte, []batch.Verdict, *batch.Options) (int, error)

	secretFinder = func(context.Context, []byte, []batch.Verdict, *batch.SecretOptions) (int, error)
)

// each carries out the call with a verdict for each row.
func (k *kind) each(
	ctx context.Context, g given, dst []byte, verdicts []batch.Verdict, o *batch.Options,
) (int, error) {
	switch {
	case k.verifier != nil:
		return k.verifier(g).Verify(ctx, verdicts, o)
	case k.finder != nil:
		return k.finder(g)(ctx, dst, verdicts, o)
	}
	return k.secret(g)(ctx, dst, verdicts,
		&batch.SecretOptions{Workers: o.Workers, Unchecked: o.Exact})
}

// kinds returns all kinds.
var kinds = sync.OnceValue(func() (list []*kind) {
	hashes, messages := rowField{"Hashes", 32, "32"}, rowField{"Messages", 32, "32"}
	signatures, tweaks := rowField{"Signatures", 64, "64"}, rowField{"Tweaks", 32, "32"}
	secrets, indices := rowField{"Secrets", 32, "32"}, rowField{"", 4, ""}
	keys := func(width int, widths string) rowField { return rowField{"Keys", width, widths} }

	add := func(k *kind) { list = append(list, k) }
	signatureKind := func(name string, k *kind) {
		k.name, k.signs, k.device = name, true, true
		add(k)
	}
	bip340 := func(s *source) [][]byte { return s.schnorr(32) }
	anyMessage := ofAnyLength(func(s *source) [][]byte { return s.schnorr(32, 32, 0, 1, 33, 300) })
	signatureKind("SchnorrRows", &kind{
		fields: []rowField{messages, keys(32, "32"), signatures},
		row:    bip340, judge: judgeSchnorr,
		verifier: func(g given) verifier {
			return batch.SchnorrRows{Messages: g.columns[0], Keys: batch.EncodedKeys(g.columns[1]),
				Signatures: g.columns[2]}
		},
	})
	signatureKind("SchnorrRows, prepared", &kind{
		fields: []rowField{messages, indices, signatures},
		row:    func(s *source) [][]byte { return underPrepared(s, bip340(s)) },
		judge: judgePrepared(judgeSchnorr,
			func(k *koblitz.PublicKey) []byte { return k.XOnlyPublicKey().Bytes() }),
		verifier: func(g given) verifier {
			return batch.SchnorrRows{Messages: g.columns[0],
				Keys: batch.PreparedKeys(preparedKeys(g.rows)), Signatures: g.columns[2]}
		},
	})
	signatureKind("Schnorr", &kind{
		fields: []rowField{messages, keys(32, "32"), signatures},
		row:    anyMessage, judge: judgeSchnorr, loose: true,
		verifier: func(g given) verifier { return accumulator{inSchnorr(g.rows)} },
	})
	signatureKind("Queue, BIP-340", &kind{
		fields: []rowField{messages, keys(32, "32"), signatures},
		row:    anyMessage, judge: judgeSchnorr, loose: true,
		verifier: func(g given) verifier { return queued{g.rows, (*batch.Queue).ExplainSchnorr} },
	})
	for i, width := range []int{33, 33, 65, 65} {
		s, withID := rule(i%2 == 1), i%3 > 0
		name := fmt.Sprintf("ECDSARows, %d bytes, ids %v, rule %d", width, withID, s)
		fields := []rowField{hashes, keys(width, "33 or 65"), signatures}
		if withID {
			fields = append(fields, rowField{"RecoveryIDs", 1, "1"})
		}
		signatureKind(name, &kind{
			fields: fields,
			row:    ecdsaRow(width, withID), judge: judgeECDSA(i%2 == 1, 64, width),
			verifier: func(g given) verifier {
				return batch.ECDSARows{Hashes: g.columns[0], Keys: batch.EncodedKeys(g.columns[1]),
					Signatures: g.columns[2], RecoveryIDs: append(g.columns, batch.Column{})[3], S: s}
			},
		})
	}
	for _, lowS := range []bool{false, true} {
		signatureKind(fmt.Sprint("ECDSARows, prepared, rule ", rule(lowS)), &kind{
			fields: []rowField{hashes, indices, signatures},
			row:    func(s *source) [][]byte { return underPrepared(s, ecdsaRow(33, false)(s)) },
			judge:  judgePrepared(judgeECDSA(lowS, 64, 33), (*koblitz.PublicKey).Bytes),
			verifier: func(g given) verifier {
				return batch.ECDSARows{Hashes: g.columns[0], S: rule(lowS),
					Keys: batch.PreparedKeys(preparedKeys(g.rows)), Signatures: g.columns[2]}
			},
		})
		row := func(s *source) [][]byte {
			row := ecdsaRow(33, true)(s)
			if s.next()%4 == 0 {
				row = ecdsaRow(65, true)(s)
			}
			if lowS { // with recovery ids
				row[2] = join(row[2], row[3])
			}
			return row[:3]
		}
		length := 64
		if lowS {
			length = 65
		}
		signatureKind(fmt.Sprint("ECDSA, rule ", rule(lowS)), &kind{
			fields: []rowField{hashes, keys(33, "33 or 65"), {"Signatures", length, ""}},
			row:    ofAnyLength(row), judge: judgeECDSA(lowS, length, 33, 65), loose: true,
			verifier: func(g given) verifier { return accumulator{inECDSA(g.rows, lowS)} },
		})
	}
	signatureKind("Queue, ECDSA", &kind{
		fields: []rowField{hashes, keys(33, "33 or 65"), signatures},
		row:    ofAnyLength(ecdsaRow(65, false)), judge: judgeECDSA(true, 64, 33, 65), loose: true,
		verifier: func(g given) verifier { return queued{g.rows, (*batch.Queue).ExplainECDSA} },
	})

	for i, size := range []int{65, 65, 20} {
		lowS, method := i > 0, batch.RecoverRows.Recover
		name := fmt.Sprint("RecoverRows, rule ", rule(lowS))
		if size == 20 {
			name, method = name+", addresses", batch.RecoverRows.EthereumAddresses
		}
		add(&kind{
			name: name, fields: []rowField{hashes, {"Signatures", 65, "65"}}, size: size, device: true,
			row: (*source).recoverable, judge: judgeRecover(lowS, size),
			finder: func(g given) finder {
				rows := batch.RecoverRows{Hashes: g.columns[0], Signatures: g.columns[1], S: rule(lowS)}
				return func(
					ctx context.Context, dst []byte, v []batch.Verdict, o *batch.Options,
				) (int, error) {
					return method(rows, ctx, dst, v, o)
				}
			},
		})
	}
	add(&kind{
		name: "KeyRows", fields: []rowField{keys(33, "33")}, size: 65, device: true,
		row: func(s *source) [][]byte { return s.ecdh(33)[1:] }, judge: judgeKey,
		finder: func(g given) finder { return batch.KeyRows{Keys: g.columns[0]}.Decompress },
	})
	add(&kind{
		name: "ScalarRows", fields: []rowField{{"Scalars", 32, "32"}}, size: 65, device: true,
		row: func(s *source) [][]byte { return s.secret(0) },
		judge: judgeSecret(func(k *koblitz.PrivateKey, _ [][]byte) []byte {
			return k.PublicKey().UncompressedBytes()
		}),
		finder: func(g given) finder {
			return batch.ScalarRows{Scalars: g.columns[0]}.PublicKeysVartime
		},
	})
	add(&kind{
		name: "EllswiftRows", fields: []rowField{{"Encodings", 64, "64"}}, size: 32,
		row: (*source).ellswift, judge: judgeEllswift,
		finder: func(g given) finder {
			return batch.EllswiftRows{Encodings: g.columns[0]}.XOnlyPublicKeys
		},
	})
	for _, width := range []int{32, 33, 65} {
		add(&kind{
			name:   fmt.Sprintf("TweakRows, %d bytes", width),
			fields: []rowField{tweaks, keys(width, "32 or 33 or 65")}, size: 65,
			row: func(s *source) [][]byte { return s.tweak(width)[:2] }, judge: judgeTweak,
			finder: func(g given) finder {
				return batch.TweakRows{Tweaks: g.columns[0], Keys: g.columns[1]}.AddVartime
			},
		})
	}
	add(&kind{
		name: "TweakCheckRows", fields: []rowField{tweaks, keys(32, "32"), {"Outputs", 32, "32"},
			{"Parities", 1, "1"}},
		row: func(s *source) [][]byte { return s.tweak(32) }, judge: judgeTweakCheck,
		verifier: func(g given) verifier {
			return batch.TweakCheckRows{Tweaks: g.columns[0], Keys: g.columns[1],
				Outputs: g.columns[2], Parities: g.columns[3]}
		},
	})

	add(&kind{
		name: "SecretRows", fields: []rowField{secrets}, size: 33,
		row: func(s *source) [][]byte { return s.secret(0) },
		judge: judgeSecret(func(k *koblitz.PrivateKey, _ [][]byte) []byte {
			return k.PublicKey().Bytes()
		}),
		secret: func(g given) secretFinder {
			return batch.SecretRows{Secrets: g.columns[0]}.PublicKeys
		},
	})
	for _, width := range []int{32, 33} {
		add(&kind{
			name:   fmt.Sprintf("ECDHRows, %d bytes", width),
			fields: []rowField{secrets, keys(width, "32 or 33")}, size: 32,
			row: func(s *source) [][]byte { return s.ecdh(width) }, judge: judgeSecret(sharedX),
			secret: func(g given) secretFinder {
				return batch.ECDHRows{Secrets: g.columns[0], Keys: g.columns[1]}.SharedX
			},
		})
	}
	add(&kind{
		name: "SchnorrSignRows", fields: []rowField{secrets, messages, {"Aux", 32, "32"}}, size: 64,
		signs: true, row: func(s *source) [][]byte { return s.secret(2) },
		judge: judgeSecret(func(k *koblitz.PrivateKey, row [][]byte) []byte {
			o := &schnorr.SignOptions{Aux: row[2], Unchecked: true}
			return reference.Must(schnorr.Sign(k, row[1], o))
		}),
		secret: func(g given) secretFinder {
			return batch.SchnorrSignRows{Secrets: g.columns[0], Messages: g.columns[1],
				Aux: g.columns[2]}.Sign
		},
	})
	add(&kind{
		name: "ECDSASignRows", fields: []rowField{secrets, hashes}, size: 65,
		signs: true, row: func(s *source) [][]byte { return s.secret(1) },
		judge: judgeSecret(func(k *koblitz.PrivateKey, row [][]byte) []byte {
			o := &ecdsa.SignOptions{Unchecked: true}
			return reference.Must(ecdsa.SignRecoverable(k, row[1], o))
		}),
		secret: func(g given) secretFinder {
			return batch.ECDSASignRows{Secrets: g.columns[0], Hashes: g.columns[1]}.Sign
		},
	})
	return list
})

// An accumulator is a verifier of the rows that were added to an accumulator.
type accumulator struct{ add func(o *batch.Options) adder }

func (a accumulator) Verify(
	ctx context.Context, v []batch.Verdict, o *batch.Options,
) (int, error) {
	return a.add(o).Verify(ctx, v)
}

func (a accumulator) VerifyAll(ctx context.Context, _ int, o *batch.Options) (bool, error) {
	return a.add(o).VerifyAll(ctx)
}

// inSchnorr returns a function that adds rows to an accumulator, with encoded or parsed keys.
func inSchnorr(rows []record) func(o *batch.Options) adder {
	return func(o *batch.Options) adder {
		b := batch.NewSchnorr(len(rows)/2, o)
		for i, row := range rows {
			msg, key, sig := row.values[0], row.values[1], row.values[2]
			if k, err := koblitz.ParseXOnlyPublicKey(key); err == nil && i%2 == 0 {
				b.Add(k, msg, sig)
			} else {
				b.AddBytes(key, msg, sig)
			}
		}
		return b
	}
}

// inECDSA returns a function that adds rows to an accumulator, as inSchnorr does. With the rule
// LowS they have recovery ids.
func inECDSA(rows []record, lowS bool) func(o *batch.Options) adder {
	return func(o *batch.Options) adder {
		b := batch.NewECDSA(len(rows)/2, rule(lowS), o)
		for i, row := range rows {
			hash, key, sig := row.values[0], row.values[1], row.values[2]
			k, err := koblitz.ParsePublicKey(key)
			parsed, err2 := ecdsa.ParseSignature(sig)
			switch parse := err == nil && i%2 == 0; {
			case lowS && parse:
				b.AddRecoverable(k, hash, sig)
			case lowS:
				b.AddRecoverableBytes(key, hash, sig)
			case parse && err2 == nil:
				b.Add(k, hash, parsed)
			default:
				b.AddBytes(key, hash, sig)
			}
		}
		return b
	}
}

// queued is a verifier that asks a queue about each row, all at the same time.
type queued struct {
	rows    []record
	explain func(
		q *batch.Queue, ctx context.Context, key, msg, sig []byte,
	) (batch.Verdict, batch.Reason, error)
}

func (q queued) Verify(
	ctx context.Context, v []batch.Verdict, o *batch.Options,
) (valid int, err error) {
	queue := batch.NewQueue(&batch.QueueOptions{S: batch.LowS, Workers: o.Workers, Exact: o.Exact})
	defer queue.Close()
	reasons, errs := make([]batch.Reason, len(q.rows)), make([]error, len(q.rows))
	var wg sync.WaitGroup
	for i, row := range q.rows {
		wg.Go(func() {
			v[i], reasons[i], errs[i] = q.explain(queue, ctx, row.values[1], row.values[0],
				row.values[2])
		})
	}
	wg.Wait()
	for i := range v {
		if v[i] == batch.Valid {
			valid++
		}
	}
	if o.Reasons != nil {
		*o.Reasons = reasons
	}
	return valid, errors.Join(errs...)
}

func (q queued) VerifyAll(ctx context.Context, n int, o *batch.Options) (bool, error) {
	valid, err := q.Verify(ctx, make([]batch.Verdict, n), &batch.Options{Workers: o.Workers})
	return valid == n && err == nil, err
}

// made returns the row with the given values, and what a call must answer for it.
func (k *kind) made(values [][]byte) record { return record{values, k.judge(values)} }

// all returns several hundred rows of all sorts, in random order.
func (k *kind) all() []record {
	k.once.Do(func() {
		r := rand.New(rand.NewPCG(1, 1))
		for range 400 {
			k.rows = append(k.rows, k.made(k.row(&source{reference.Bytes(r, 64)})))
		}
	})
	return k.rows
}

// good returns those rows of all that are valid.
func (k *kind) good() []record {
	return slices.DeleteFunc(slices.Clone(k.all()),
		func(row record) bool { return row.verdict != batch.Valid })
}

// pick returns n rows. how says which: 0 is for any rows, 1 for the repetition of one to three
// rows, 2 for valid rows, 3 for valid rows and another one, and 4 for valid rows and some others.
func (k *kind) pick(r *rand.Rand, how, n int) []record {
	rows := slices.Clone(pick(r, k.good(), n))
	others := min(n, []int{n, n, 0, 1, n / 20}[how])
	few := k.all()
	if how == 1 {
		few = pick(r, k.all(), 1+r.IntN(3))
	}
	for i := range others {
		if how > 1 {
			i = r.IntN(n)
		}
		rows[i] = few[r.IntN(len(few))]
	}
	return rows
}

// Layouts of columns.
const (
	packed   = iota
	gaps     // between two values
	records  // the fields of a row follow one another
	sameness // Same, for some fields
)

// give returns columns of the rows. In the layout sameness, rows get the values of the first row in
// some of the fields.
func (k *kind) give(r *rand.Rand, layout int, rows []record) (g given) {
	g.rows = slices.Clone(rows)
	if k.loose {
		return g
	}
	var record []byte
	for _, row := range rows {
		record = append(record, join(row.values...)...)
	}
	offset, width, gap, fixed := 0, 0, 1+r.IntN(9), r.IntN(1<<len(k.fields))
	for _, field := range k.fields {
		width += field.width
	}
	for i, field := range k.fields {
		if layout == sameness && fixed>>i&1 != 0 && len(rows) > 0 {
			value := rows[0].values[i]
			g.column(bytes.Clone(value), batch.Same)
			for n := range g.rows {
				g.rows[n].values = slices.Clone(g.rows[n].values)
				g.rows[n].values[i] = value
			}
			continue
		}
		if layout == records && len(rows) > 0 {
			g.column(record[offset:], func(b []byte) batch.Column {
				return batch.Strided(b, field.width, width)
			})
			offset += field.width
			continue
		}
		var data []byte
		for _, row := range rows {
			data = append(data, row.values[i]...)
			if layout == gaps {
				data = append(data, reference.Bytes(r, gap)...)
			}
		}
		if layout == gaps { // The data end anywhere after the last value.
			data = data[:len(data)-min(len(data), r.IntN(gap+1))]
			g.column(data, func(b []byte) batch.Column {
				return batch.Strided(b, field.width, field.width+gap)
			})
		} else {
			g.column(data, func(b []byte) batch.Column { return batch.Packed(b, field.width) })
		}
	}
	if layout == sameness {
		for n := range g.rows {
			g.rows[n] = k.made(g.rows[n].values)
		}
	}
	return g
}

// checkCall carries out a call on the rows g, and checks all answers. If ctx may end, rows may stay
// Unchecked: then there is an error, and nothing is written for them. checkCall returns the number
// of rows with a verdict.
func (k *kind) checkCall(
	t *testing.T, ctx func() context.Context, g given, o batch.Options,
) (checked int) {
	t.Helper()
	const spare = 9
	n, count := len(g.rows), 0
	verdicts := dirty(n + spare)
	dst := bytes.Repeat([]byte{0x77}, k.size*n+spare)
	reasons := slices.Repeat([]batch.Reason{77}, 3)
	if o.Reasons = &reasons; k.secret != nil {
		reasons = make([]batch.Reason, n)
	}
	valid, err := k.each(ctx(), g, dst[:k.size*n], verdicts[:n], &o)
	if len(reasons) != n {
		t.Errorf("%s: %d reasons of %d rows", k.name, len(reasons), n)
		return 0
	}
	for i, row := range g.rows {
		got := answer{verdicts[i], reasons[i], dst[k.size*i:][:k.size]}
		want := row.answer
		switch {
		case got.verdict == batch.Unchecked && err != nil && o.Device == nil:
			want = answer{result: bytes.Repeat([]byte{0x77}, k.size)}
		case got.verdict == batch.Unchecked && err != nil:
			want = answer{result: got.result}
		default:
			if checked++; want.verdict == batch.Valid {
				count++
			}
		}
		if want.result == nil {
			want.result = make([]byte, k.size)
		}
		if k.secret != nil {
			want.why = batch.NoReason
		}
		if got.verdict != want.verdict || got.why != want.why || !bytes.Equal(got.result, want.result) {
			t.Errorf("%s: row %d of %d, %+v: %v, %v, %x, want %v, %v, %x\nvalues %x", k.name, i, n, o,
				got.verdict, got.why, got.result, want.verdict, want.why, want.result, row.values)
			return checked
		}
	}
	if valid != count || (err == nil) != (checked == n) {
		t.Errorf("%s: %d of %d rows checked, %d counted as valid, want %d, %v", k.name, checked, n,
			valid, count, err)
	}
	if !slices.Equal(verdicts[n:], dirty(spare)) ||
		!bytes.Equal(dst[k.size*n:], bytes.Repeat([]byte{0x77}, spare)) {
		t.Errorf("%s: the call wrote past the end of the verdicts or results", k.name)
	}
	if k.verifier != nil && n > 0 {
		before := slices.Clone(reasons)
		ok, err := k.verifier(g).VerifyAll(ctx(), n, &o)
		if all := !slices.ContainsFunc(g.rows, func(row record) bool {
			return row.verdict != batch.Valid
		}); ok != all && err == nil || ok && err != nil {
			t.Errorf("%s: %d rows, %+v: VerifyAll: %v, %v, want %v", k.name, n, o, ok, err, all)
		}
		if !slices.Equal(before, reasons) {
			t.Errorf("%s: VerifyAll sets reasons", k.name)
		}
	}
	for _, memory := range g.memory {
		if !bytes.Equal(memory[0], memory[1]) {
			t.Errorf("%s: the call changes a column", k.name)
		}
	}
	return checked
}

// check is checkCall with a context that does not end.
func (k *kind) check(t *testing.T, g given, o batch.Options) {
	t.Helper()
	if n := k.checkCall(t, context.Background, g, o); n != len(g.rows) {
		t.Errorf("%s: %d of %d rows have a verdict", k.name, n, len(g.rows))
	}
}
