package batch

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// signRows returns columns of n secrets and of n messages. Secret 5 is malformed.
func signRows(n int) (secrets, messages Column) {
	s, m := make([]byte, 32*n), make([]byte, 32*n)
	for i := range n {
		s[32*i+30], s[32*i+31] = byte(i>>8), byte(i)|1
		m[32*i], m[32*i+1], m[32*i+2] = byte(i>>8), byte(i), 1
	}
	clear(s[32*5:][:32])
	return Packed(s, 32), Packed(m, 32)
}

// values returns every value that w keeps for a row between two steps, with signatures of the given
// size. Others are written and read within a step: the field ok, which only ECDH sets, and the
// memory of Many, of lanes and of equations.
func (w *signWorker) values(row, size int) map[string]any {
	return map[string]any{
		"k": &w.k[row], "good": &w.good[row], "p": &w.p[row], "keys": w.key(row), "r": &w.r[row],
		"messages": w.messages[32*row:][:32], "toSign": w.toSign[32*row:][:32],
		"hashed": w.message(row)[:],
		"sigs":   w.sigs[size*row:][:size-32], "s and the id": w.sigs[size*(row+1)-32:][:32],
		"verdicts": &w.verdicts[row], "aux": w.aux[32*row:][:32], "nonces": &w.nonces[row],
		"secrets": &w.secrets[row], "copies": &w.copies[row], "usable": &w.usable[row],
		"sound": &w.sound[row],
	}
}

// newTestWorker returns a worker whose keys are set to the memory for points, so that
// signWorker.values can be called before derive has set them.
func newTestWorker(rows int) *signWorker {
	w := newSignWorker(rows)
	w.keys = w.p
	return w
}

// TestFaultValues checks that signWorker.values lists every field of signWorker, except those that
// keep nothing between steps.
func TestFaultValues(t *testing.T) {
	w := newTestWorker(1)
	values, other := w.values(0, 64), []string{"many", "ok", "lanes", "rows"}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(*w)) {
		if _, ok := values[f.Name]; !ok && !f.Anonymous && !slices.Contains(other, f.Name) {
			t.Errorf("no fault changes the field %s", f.Name)
		}
	}
}

// flip changes one bit of the value that v points to, or of the bytes v.
func flip(v any, bit int) {
	switch v := v.(type) {
	case []byte:
		v[bit/8] ^= 1 << (bit % 8)
	case *scalar.Scalar:
		l := v.Limbs()
		l[bit/64] ^= 1 << (bit % 64)
		v.SetLimbs(&l)
	case *point.Affine:
		coordinate := &v.X
		if bit%2 == 1 {
			coordinate = &v.Y
		}
		var b [32]byte
		coordinate.PutBytes(&b)
		b[bit/8] ^= 1 << (bit % 8)
		coordinate.SetBytes(&b)
	case *ct.Choice:
		*v ^= 1
	case *Verdict:
		*v ^= Verdict(1 << (bit % 2))
	default:
		panic("a value of another type")
	}
}

// TestFault flips a bit of each value that a worker keeps, before each step, as a fault of the
// machine would, and either leaves it so or flips it back after the step. Then the row must not be
// Valid and must have zeros, or it has the right signature. Other rows must keep their signatures,
// or become Invalid as well.
func TestFault(t *testing.T) {
	for _, n := range []int{9, 300} { // without and with an equation
		secrets, messages := signRows(n)
		one := secrets.open()
		for _, secrets := range []Column{secrets, Same(one.row(0))} {
			testFault(t, 64, n, &SchnorrSignRows{Secrets: secrets, Messages: messages, Aux: messages})
			testFault(t, 65, n, &ECDSASignRows{Secrets: secrets, Hashes: messages})
		}
	}
}

func testFault(t *testing.T, size, n int, rows interface {
	signing(dst []byte, verdicts []Verdict, o *SecretOptions) *signing
}) {
	sigs, verdicts := make([]byte, size*n), make([]Verdict, n)
	// sign signs all rows, calls fault before the given step and, unless it lasts, after that step.
	// It returns the number of steps before the check of the signatures.
	sign := func(before int, lasting bool, fault func(w *signWorker)) int {
		s := rows.signing(sigs, verdicts, nil)
		if s.err != nil {
			t.Fatal(s.err)
		}
		w := newTestWorker(n)
		for i, step := range append(s.steps, (*signing).publish) {
			if i == before {
				fault(w)
			}
			step(s, w, 0, n)
			if i == before && !lasting {
				fault(w)
			}
		}
		return len(s.steps)
	}
	steps := sign(-1, true, nil)
	wantSigs, wantVerdicts := bytes.Clone(sigs), slices.Clone(verdicts)
	// Before the first step there is no value to change.
	first, bits, faults := 1, []int{0, 255}, 0
	if n > 9 {
		first, bits = steps, bits[1:2]
	}
	names := slices.Sorted(maps.Keys(newTestWorker(1).values(0, size)))
	for before := first; before <= steps; before++ {
		for k := range 6 * len(bits) * len(names) {
			lasting, row, bit := k%2 == 0, []int{0, 5, n - 1}[k/2%3], bits[k/6%len(bits)]
			name := names[k/6/len(bits)]
			sign(before, lasting, func(w *signWorker) { flip(w.values(row, size)[name], bit) })
			faults++
			for i, v := range verdicts {
				sig, want := sigs[size*i:][:size], wantSigs[size*i:][:size]
				right := wantVerdicts[i] == Valid && bytes.Equal(sig, want)
				if isHarmless(name, lasting) {
					right = true
				}
				if v == Valid && !right || v != Valid && !bytes.Equal(sig, make([]byte, size)) {
					t.Errorf("%d rows, bit %d of %s in row %d before step %d of %d, lasting %t: "+
						"row %d is %v, %x", n, bit, name, row, before, steps, lasting, i, v, sig)
				}
			}
		}
	}
	t.Logf("%d rows, %d bytes: %d faults", n, size, faults)
}

// isHarmless reports whether a row may have another signature after a fault in the named value: the
// nonce of another key, or with other auxiliary randomness, is that of no other signature.
func isHarmless(name string, lasting bool) bool {
	return name == "aux" || !lasting && slices.Contains([]string{"k", "keys", "p"}, name)
}

// TestFaultInLanes checks that a signature is Invalid if a fault in the memory of lanes, between
// two parts of the step that derives nonces, makes it one with another nonce. Beside the right
// signature, or that of another message, it would give the key away.
func TestFaultInLanes(t *testing.T) {
	const n, row = 9, 4
	secrets, messages := signRows(n)
	type fault = func(w *signWorker)
	verdicts, dst := make([]Verdict, n), make([]byte, 65*n)
	ecdsa := ECDSASignRows{Secrets: secrets, Hashes: messages}
	schnorr := SchnorrSignRows{Secrets: secrets, Messages: messages, Aux: messages}
	for name, c := range map[string]struct {
		s          *signing
		load, take func(w *signWorker, lane, row int)
		hash       func(m *hash.NonceLanes, n int)
		before     fault // before the hashes
		after      fault // after them
	}{
		"ecdsa": {
			ecdsa.signing(dst, verdicts, nil),
			(*signWorker).loadECDSA, (*signWorker).takeECDSANonce, (*hash.NonceLanes).RFC6979,
			func(w *signWorker) { w.lanes.Hashes[row][3] ^= 1 },
			func(w *signWorker) { w.lanes.Nonces[row][31] ^= 1 },
		},
		"schnorr": {
			schnorr.signing(dst[:64*n], verdicts, nil),
			(*signWorker).loadSchnorr, (*signWorker).takeSchnorrNonce, (*hash.NonceLanes).BIP340,
			func(w *signWorker) { w.lanes.Rows[hash.RowSize*row+70] ^= 1 },
			func(w *signWorker) { w.lanes.Nonces[row][31] ^= 1 },
		},
	} {
		none := func(*signWorker) {}
		for i, faults := range [][2]fault{{none, none}, {c.before, none}, {none, c.after}} {
			w := newSignWorker(n)
			c.s.read(w, 0, n)
			c.s.derive(w, 0, n)
			w.inLanes(n, func(j, i int) { c.load(w, j, i) }, func(n int) {
				faults[0](w)
				c.hash(&w.lanes, n)
				faults[1](w)
			}, func(j, i int) { c.take(w, j, i) })
			for _, step := range c.s.steps[3:] {
				step(c.s, w, 0, n)
			}
			c.s.publish(w, 0, n)
			want := Valid
			if i > 0 {
				want = Invalid
			}
			if verdicts[row] != want || verdicts[row-1] != Valid || verdicts[row+2] != Valid {
				t.Errorf("%s, fault %d: %v, want %v in row %d", name, i, verdicts, want, row)
			}
			w.Wipe()
		}
	}
}

// TestFaultInProduct flips a bit of a secret or of a key, between its reading and the
// multiplication, and leaves it so. The row must be Invalid: the product could reveal the secret,
// most easily if it is on another curve. So must all rows be if they share the secret. Otherwise
// the other rows keep their verdicts.
func TestFaultInProduct(t *testing.T) {
	for _, n := range []int{1, 300} {
		secrets, _ := signRows(n + 6)
		packed := secrets.open()
		packed.data = packed.data[32*6:]
		shared := values{same, packed.data[:32], 32, 0}
		for _, secrets := range []values{packed, shared} {
			for _, name := range []string{"none", "k", "p"} {
				for bit := range 256 {
					w, row := newSecretWorker(n), n-1
					w.load(&secrets, 0, n)
					w.many.ScalarBaseMult(w.p, w.k) // any points
					k := w.k
					if secrets.form == same {
						k, row = k[:1], 0
					}
					switch name {
					case "k":
						flip(&w.k[row], bit)
					case "p":
						flip(&w.p[row], bit)
					}
					w.multiply(k, n, true)
					for i := range n {
						want := Valid
						if name == "p" && i == row || name == "k" && (i == row || len(k) < n) {
							want = Invalid
						}
						if v := w.judgeProduct(i, &k[min(i, len(k)-1)], true); v != want {
							t.Fatalf("%d rows, %d secrets, bit %d of %s: row %d is %v, want %v", n, len(k),
								bit, name, i, v, want)
						}
					}
					if n > 1 && bit > 5 {
						break // a multiplication of many rows takes long
					}
				}
			}
		}
	}
}

// TestFaultError tests the error of a call if the check refuses rows.
func TestFaultError(t *testing.T) {
	verdicts := make([]Verdict, 9)
	valid, err := runSecrets(context.Background(), verdicts, nil, newSignWorker,
		func(w *signWorker, lo, hi int) {
			copy(verdicts, append(slices.Repeat([]Verdict{Valid}, 7), Invalid, Invalid))
		})
	const want = "batch: row 7: a fault in the computation"
	if valid != 7 || err == nil || err.Error() != want {
		t.Errorf("%d valid rows, error %v, want 7 and %s", valid, err, want)
	}
}

// TestRefusedNonce checks that a row whose first nonce is out of range, or gives no signature, gets
// the signature of another nonce: that of the key and the hash alone.
func TestRefusedNonce(t *testing.T) {
	const n = 9
	secrets, hashes := signRows(n)
	want, verdicts := make([]byte, 65*n), make([]Verdict, n)
	_, err := ECDSASignRows{Secrets: secrets, Hashes: hashes}.Sign(
		context.Background(), want, verdicts, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, refuse := range map[string]func(w *signWorker, i int){
		"out of range": func(w *signWorker, i int) {
			w.nonces[i].One()
			w.usable[i] = ct.Choice(0)
		},
		"s = 0": func(w *signWorker, i int) { w.nonces[i] = scalar.Scalar{} }, // for the inverse
	} {
		w, k, h := newSignWorker(n), secrets.open(), hashes.open()
		w.load(&k, 0, n)
		copy(w.secrets, w.k)
		h.copyTo(w.toSign, 0, n)
		s := new(signing)
		s.ecdsaNonces(w, 0, n)
		for i := range n {
			refuse(w, i)
			w.sound[i] = 1
		}
		w.many.ScalarBaseMult(w.r, w.k) // any points
		s.ecdsaFinish(w, 0, n)
		if !bytes.Equal(w.sigs, want) {
			t.Errorf("%s: %x, want %x", name, w.sigs, want)
		}
		w.Wipe()
	}
}

// TestWipe checks that Wipe clears the copies of signatures that equations have verified, those of
// every block.
func TestWipe(t *testing.T) {
	const n = 300
	w := newTestWorker(n)
	for i := range n {
		w.keys[i].SetGenerator()
		w.sigs[64*i] = 1
	}
	var copies [][]byte
	for _, rows := range []int{n / 2, n} {
		for i := range rows {
			w.verdicts[i] = Valid
		}
		if w.checkSchnorr(rows); w.verdicts[0] != Invalid {
			t.Fatal("a wrong signature is valid")
		}
		b := reflect.ValueOf(w.rows).FieldByName("bytes").Bytes()
		if len(bytes.Trim(b, "\x00")) == 0 {
			t.Fatal("there are no copies")
		}
		copies = append(copies, b)
	}
	w.Wipe()
	for i, b := range copies {
		if len(bytes.Trim(b, "\x00")) > 0 {
			t.Errorf("block %d: copies of signatures are left", i)
		}
	}
}
