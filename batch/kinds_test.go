package batch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A kind is a method that answers for many rows, with what a test must know to call it and to check
// its answers. Tests loop over all kinds. What is special to a kind has tests of its own.
type kind struct {
	name   string
	fields []rowField
	size   int  // the bytes of a row's result in dst
	signs  bool // whether Options.Exact is allowed, or Unchecked of options for secrets
	device bool // whether the call uses Options.Device

	row   func(s *source) [][]byte     // makes the values of a row's fields
	judge func(values [][]byte) answer // says what the call must answer for them

	// Exactly one of these is set. It returns the methods that answer for the given rows.
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
		verifier: func(g given) verifier { return accumulator{added(0, batch.AnyS, g.rows, false)} },
	})
	add(&kind{
		name: "Queue, BIP-340", signs: true,
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
				columns := append(slices.Clip(g.columns), batch.Column{}) // without ids, if there are none
				return batch.ECDSARows{Hashes: columns[0], Keys: batch.EncodedKeys(columns[1]),
					Signatures: columns[2], RecoveryIDs: columns[3], S: s}
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
			verifier: func(g given) verifier { return accumulator{added(1, rule(lowS), g.rows, lowS)} },
		})
	}
	add(&kind{
		name: "Queue, ECDSA", signs: true,
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

// added returns a function that adds rows to the accumulator newModels(...)[kind] in all ways, with
// recovery ids or without. Malformed rows are added as bytes: these have the reasons of the table.
func added(kind int, s batch.SRule, rows []record, ids bool) func(o *batch.Options) adder {
	return func(o *batch.Options) adder {
		m := newModels(len(rows)/2, s, o)[kind]
		ways := slices.DeleteFunc(m.ways, func(w way) bool { return w.id != ids })
		for i, row := range rows {
			if row.verdict == batch.Malformed {
				i = 0
			}
			ways[i%len(ways)].addAll([][][]byte{row.values})
		}
		return m.adder
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

// kindNamed returns the kind with the given name.
func kindNamed(name string) *kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k *kind) bool { return k.name == name })]
}
