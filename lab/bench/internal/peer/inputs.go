package peer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Rows is the number of different keys and messages that an operation uses in turn: enough that
// branch predictors do not learn them.
const Rows = 128

// PreparedKeys is the number of different keys in batches with prepared keys, and preparedRows the
// number of rows of the largest such batch.
const (
	PreparedKeys = 64
	preparedRows = 4096
)

// Inputs holds the encoded inputs for all peers, generated from a fixed seed.
type Inputs struct {
	Set // the rows of operations on single rows

	A, B    [][]byte // 32 bytes each, below n and not zero
	Squares [][]byte // A² mod p for each number in A

	// Points holds points as x ‖ y, 64 bytes each, and Scalars holds scalars of 32 bytes each: as
	// many of each as the largest multi-scalar multiplication has terms.
	Points, Scalars [][]byte

	// Many holds the rows of the largest batch, Few those signed with PreparedKeys keys in turn, and
	// OneSecret those of Many with a single secret.
	Many, Few, OneSecret Set

	wallet   *wallet   // scans the rows of Many for silent payments
	ceremony *ceremony // signs together

	sums   map[int][]byte // the sum of the first n products k·P, for each power of two n
	summed sync.Once
	rows   map[string]Driver // koblitz's drivers that process batches row by row
	listed sync.Once
}

// A Set holds the inputs of operations, a row each: keys, messages and their signatures.
type Set struct {
	Secret, Hash, Aux [][]byte // 32 bytes each
	Key               [][]byte // 33 bytes each, the public keys of Secret
	XOnly             [][]byte // 32 bytes each
	DER               [][]byte
	ECDSA             [][]byte // signatures of 64 bytes each
	Recoverable       [][]byte // signatures of 65 bytes each
	Schnorr           [][]byte // 64 bytes each
	Ellswift          [][]byte // encodings of Key, 64 bytes each

	// Output holds the x coordinates of XOnly tweaked by Hash (BIP-341), and Parity the parities of
	// y, a byte each.
	Output, Parity [][]byte
}

// next returns the row after row i of the set. The last row is followed by the first.
func (s *Set) next(i int) int { return (i + 1) % len(s.Hash) }

// add adds a row that is signed with the given secret.
func (s *Set) add(secret, hash, aux []byte) {
	k := private(secret)
	recoverable := must(ecdsa.SignRecoverable(k, hash, unchecked))
	output := must(k.XOnlyPublicKey().TweakAdd(hash)).Bytes()
	s.Secret, s.Hash, s.Aux = append(s.Secret, secret), append(s.Hash, hash), append(s.Aux, aux)
	s.Key = append(s.Key, k.PublicKey().Bytes())
	s.XOnly = append(s.XOnly, k.XOnlyPublicKey().Bytes())
	s.ECDSA = append(s.ECDSA, recoverable[:64])
	s.DER = append(s.DER, must(ecdsa.ParseSignature(recoverable[:64])).DER())
	s.Recoverable = append(s.Recoverable, recoverable)
	s.Schnorr = append(s.Schnorr, must(schnorr.Sign(k, hash, uncheckedWith(aux))))
	s.Ellswift = append(s.Ellswift, must(ellswift.Encode(k.PublicKey(), aux)))
	s.Output, s.Parity = append(s.Output, output[1:]), append(s.Parity, []byte{output[0] & 1})
}

// batch returns the rows of the batches of a family, as many as the largest batch has.
func (in *Inputs) batch(family string) *Set {
	i := slices.IndexFunc(BatchFamilies[:], func(f Batch) bool { return f.Family == family })
	f := BatchFamilies[i]
	s := map[Keys]Set{Different: in.Many, Few: in.Few, OneSecret: in.OneSecret}[f.Keys]
	n := min(len(s.Hash), f.Limit)
	for _, field := range []*[][]byte{
		&s.Secret, &s.Hash, &s.Aux, &s.Key, &s.XOnly, &s.DER, &s.ECDSA, &s.Recoverable, &s.Schnorr,
		&s.Ellswift, &s.Output, &s.Parity,
	} {
		*field = (*field)[:n]
	}
	return &s
}

// sizes returns the sizes of a family of batches or sums for which there are enough inputs.
func (in *Inputs) sizes(family string) []int {
	if family == "msm" {
		return slices.DeleteFunc(slices.Clone(MSMSizes[:]), func(n int) bool {
			return n > len(in.Points)
		})
	}
	for _, f := range BatchFamilies {
		if f.Family == family {
			return f.sizes(len(in.Many.Hash))
		}
	}
	return nil
}

// NewInputs generates inputs for multi-scalar multiplications of at most the given number of terms,
// and for batches of at most the given number of rows.
func NewInputs(terms, rows int) *Inputs {
	in := new(Inputs)
	rng := rand.NewChaCha8([32]byte([]byte("koblitz: the inputs of the bench")))
	bytes := func() []byte {
		b := make([]byte, 32)
		rng.Read(b)
		b[0] &= 0x7f // so that the number is below n and p
		return b
	}
	for range Rows {
		s, h, aux := bytes(), bytes(), bytes()
		h[0] |= byte(rng.Uint64()) & 0x80
		in.add(s, h, aux)
		a := bytes()
		in.A, in.B = append(in.A, a), append(in.B, bytes())
		x := element(a)
		in.Squares = append(in.Squares, encode(x.Square(&x)))
	}
	for i := range rows {
		s, h := bytes(), bytes()
		in.Many.add(s, h, h)
		if i < preparedRows {
			in.Few.add(in.Secret[i%PreparedKeys], h, h)
		}
	}
	in.OneSecret = in.Many
	in.OneSecret.Secret = slices.Repeat(in.Secret[:1], rows)
	in.wallet, in.ceremony = newWallet(in), newCeremony()
	jac := make([]point.Jacobian, terms)
	aff := make([]point.Affine, terms)
	for i := range terms {
		s := scalarOf(bytes())
		vartime.ScalarBaseMult(&jac[i], &s)
		in.Scalars = append(in.Scalars, bytes())
		in.Scalars[i][0] |= byte(rng.Uint64()) & 0x80 // so that half of the scalars have 256 bits
		if c := new(scalar.Scalar); !c.SetBytes((*[32]byte)(in.Scalars[i])).Bool() {
			in.Scalars[i][0] = 1
		}
	}
	point.BatchToAffineVartime(aff, jac)
	for i := range terms {
		var x, y [32]byte
		aff[i].X.PutBytes(&x)
		aff[i].Y.PutBytes(&y)
		in.Points = append(in.Points, append(x[:], y[:]...))
	}
	return in
}

// sum returns k1·P1 + … + kn·Pn in 33 bytes, for the first n scalars k and points P of the inputs.
// n must be a power of two.
func (in *Inputs) sum(n int) []byte {
	in.summed.Do(func() {
		in.sums = map[int][]byte{}
		var total, r point.Jacobian
		total.SetInfinity()
		for i := range in.Points {
			k, p := scalarOf(in.Scalars[i]), affineOf(in.Points[i])
			vartime.ScalarMult(&r, &k, &p)
			total.AddVartime(&total, &r)
			if n := i + 1; n&(n-1) == 0 {
				in.sums[n] = compress(&total)
			}
		}
	})
	return in.sums[n]
}

// expected returns the expected result of operation o on a row. If driver d processes a whole batch
// in one call, it returns the results of all rows. A row's result is that of koblitz's function for
// one row, and no row may be refused.
func (in *Inputs) expected(ours *Peer, o Operation, d Driver, row int) (result []byte) {
	if o.Group == MSM {
		return in.sum(o.Size)
	}
	one, ok := ours.Drivers[o.ID]
	rows := 1
	if o.Group == Batches {
		in.listed.Do(func() { in.rows = in.rowByRow(koblitzRows(in)) })
		if one, ok = in.rows[o.ID]; !d.Single { // then row is 0
			rows = o.Size
		}
	}
	if !ok || one.Out == nil {
		return nil
	}
	for i := range rows {
		b := one.Out(row + i)
		if string(b) == string(verdict(false)) {
			return nil
		}
		result = append(result, b...)
	}
	return result
}

// single returns the drivers of the operations on single rows among the given ones, by name.
func (in *Inputs) single(rows map[string]func(s *Set) Driver) map[string]Driver {
	d := map[string]Driver{}
	for _, o := range Operations() {
		if f := rows[o.ID]; f != nil {
			d[o.ID] = f(&in.Set)
		}
	}
	return d
}

// rowByRow returns the drivers that process batches by the given operations on single rows, one row
// after another.
func (in *Inputs) rowByRow(rows map[string]func(s *Set) Driver) map[string]Driver {
	all := map[string]Driver{}
	for _, f := range BatchFamilies {
		sizes := in.sizes(f.Family)
		if rows[f.Row] == nil || len(sizes) == 0 {
			continue
		}
		d := rows[f.Row](in.batch(f.Family))
		d.Single = true
		d.Note = strings.TrimSuffix("one by one; "+d.Note, "; ")
		for _, d.Rows = range sizes {
			all[fmt.Sprintf("%s-%d", f.Family, d.Rows)] = d
		}
	}
	return all
}

// parsed returns the results of parse for all rows of a field. Equal rows have one result.
func parsed[T any](field [][]byte, parse func([]byte) T) []T {
	seen := map[string]T{}
	var all []T
	for _, b := range field {
		v, ok := seen[string(b)]
		if !ok {
			v = parse(b)
			seen[string(b)] = v
		}
		all = append(all, v)
	}
	return all
}
