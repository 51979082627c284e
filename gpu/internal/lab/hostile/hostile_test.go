package hostile

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// TestSets checks that the sets have rows with each verdict. The kernels' tests compare the CPU's
// verdicts and results with those of other implementations.
func TestSets(t *testing.T) {
	for _, s := range Sets(4) {
		c := s.Call()
		if err := Do(c, 0); err != nil {
			t.Fatal(err)
		}
		seen := map[device.Verdict]int{}
		for _, v := range c.Verdicts {
			seen[v]++
		}
		t.Logf("kind %d: %d rows, of the verdicts %v", s.Kind, len(s.Rows), seen)
		for _, v := range []device.Verdict{device.Valid, device.Invalid, device.Malformed} {
			none := v == device.Invalid && (s.Kind == device.Decompress || s.Kind == device.PublicKeys)
			if !none && seen[v] < 5 {
				t.Errorf("kind %d: %d rows have verdict %d", s.Kind, seen[v], v)
			}
		}
	}
}

// TestReached checks that the sets reach the cases for which their special rows are made. Without
// them, kernels with errors in these cases would pass the tests.
func TestReached(t *testing.T) {
	reached := map[string]int{}
	for _, s := range Sets(1) {
		for _, row := range s.Rows {
			for _, what := range reaches(&s, row) {
				reached[what]++
			}
		}
	}
	for _, s := range Sums(40) {
		for _, what := range meets(&s) {
			reached[what]++
		}
	}
	t.Log(reached)
	for _, what := range []string{
		"ECDSA: R is infinity", "ECDSA: u1·G = u2·Q", "ECDSA: x(R) = r + n",
		"ECDSA: x(R) = r + n − p", "ECDSA: x(R) = r + n − 2^256", "ECDSA: u1 = 0",
		"Schnorr: R is infinity", "Schnorr: y(R) is odd", "Schnorr: s = 0",
		"Recover: Q is infinity", "Recover: x(R) = r + n", "Recover: r + n ≥ p", "Recover: no R",
		"Sum: equal terms", "Sum: opposite terms", "Sum: infinity of other terms",
	} {
		if reached[what] == 0 {
			t.Errorf("%s: no row", what)
		}
	}
}

// reaches returns the names of the cases that a well-formed row of three kinds reaches.
func reaches(s *Set, row Row) (cases []string) {
	add := func(name string, reached bool) {
		if reached {
			cases = append(cases, s.Kind.String()+": "+name)
		}
	}
	sig := row.Fields[len(row.Fields)-1]
	three := []device.Kind{device.ECDSA, device.Schnorr, device.Recover}
	if s.Rules == device.LowS || !slices.Contains(three, s.Kind) {
		return nil
	}
	z, x, y := new(big.Int).SetBytes(row.Fields[0]), new(big.Int).SetBytes(sig[:32]),
		new(big.Int).SetBytes(sig[32:64])
	above := new(big.Int).Add(x, order)
	if s.Kind == device.Schnorr {
		P, ok := parse(row.Fields[1])
		if !ok || y.Cmp(order) >= 0 {
			return nil
		}
		e := challenge(sig[:32], row.Fields[1], row.Fields[0])
		if s.Rules == device.Hashed {
			e = modulo(z)
		}
		R := curve.Add(timesG(y), curve.Neg(curve.ScalarMult(e, P)))
		add("R is infinity", R.IsInfinity())
		add("y(R) is odd", !R.IsInfinity() && R.X.Cmp(x) == 0 && R.Y.Bit(0) == 1)
		add("s = 0", y.Sign() == 0)
		return cases
	}
	if x.Sign() == 0 || x.Cmp(order) >= 0 || y.Sign() == 0 || y.Cmp(order) >= 0 {
		return nil
	}
	if s.Kind == device.Recover {
		id := sig[64]
		if id > 3 {
			return nil
		}
		add("r + n ≥ p", id&2 != 0 && above.Cmp(p) >= 0)
		if id&2 != 0 {
			x = above
		}
		R, ok := curve.LiftX(x, id&1 == 1)
		add("no R", !ok && x.Cmp(p) < 0)
		add("x(R) = r + n", ok && id&2 != 0)
		add("Q is infinity", ok && curve.Add(curve.ScalarMult(y, R), curve.Neg(timesG(z))).IsInfinity())
		return cases
	}
	Q, ok := parse(row.Fields[1])
	if !ok {
		return nil
	}
	a, b := timesG(mul(z, inverse(y))), curve.ScalarMult(mul(x, inverse(y)), Q)
	R := curve.Add(a, b)
	add("u1 = 0", a.IsInfinity())
	add("u1·G = u2·Q", !a.IsInfinity() && a.Equal(b))
	add("R is infinity", R.IsInfinity())
	for name, top := range map[string]*big.Int{"": new(big.Int), " − p": p,
		" − 2^256": new(big.Int).Lsh(num(1), 256)} {
		add("x(R) = r + n"+name, !R.IsInfinity() && new(big.Int).Add(R.X, top).Cmp(above) == 0)
	}
	return cases
}

// meets returns the names of the cases that a sum reaches. If two terms have the same scalar, and
// points that are equal or opposite, these points meet in the same bucket.
func meets(s *Sum) (cases []string) {
	if s.Malformed {
		return nil
	}
	terms, zeros := map[string]byte{}, make([]byte, 64)
	for i := range len(s.Scalars) / 32 {
		k, q := s.Scalars[32*i:][:32], s.Points[64*i:][:64]
		if bytes.Equal(k, zeros[:32]) || bytes.Equal(q, zeros) {
			continue
		}
		key := string(k) + string(q[:32])
		if odd, ok := terms[key]; ok && odd == q[63]&1 {
			cases = append(cases, "Sum: equal terms")
		} else if ok {
			cases = append(cases, "Sum: opposite terms")
		}
		terms[key] = q[63] & 1
	}
	if len(terms) > 0 && bytes.Equal(s.Want[:], zeros) {
		cases = append(cases, "Sum: infinity of other terms")
	}
	return cases
}

// TestCheck checks that Check detects an error in any verdict or result, and a row that is left
// Unchecked and is not special.
func TestCheck(t *testing.T) {
	for _, s := range Sets(1) {
		c := s.Call()
		if err := Do(c, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(c); err != nil {
			t.Fatal(err)
		}
		for i := range s.Rows {
			was := c.Verdicts[i]
			for v := range device.Verdict(5) {
				c.Verdicts[i] = v
				allowed := v == was || v == device.Unchecked && s.Rows[i].Special &&
					(c.Results == nil || was != device.Valid)
				if err := s.Check(c); (err == nil) != allowed {
					t.Fatalf("kind %d, row %d: verdict %d instead of %d: %v", s.Kind, i, v, was, err)
				}
			}
			c.Verdicts[i] = was
			if i == 9 {
				break
			}
		}
		if c.Results != nil {
			c.Results[len(c.Results)-1] ^= 1
			if s.Check(c) == nil {
				t.Errorf("kind %d: a wrong result passes", s.Kind)
			}
		}
	}
}
