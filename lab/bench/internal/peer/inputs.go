package peer

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz"
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

// Inputs holds the inputs for all peers, generated from a fixed seed.
type Inputs struct {
	rows []*Row // of operations on single rows

	A, B [][]byte // 32 bytes each, below n and not zero

	// Points holds points as x ‖ y, 64 bytes each, and Scalars holds scalars of 32 bytes each: as
	// many of each as the largest multi-scalar multiplication has terms.
	Points, Scalars [][]byte

	many []*Row // of the largest batch, each with another key

	sums     map[int][]byte           // of the first n terms, in 33 bytes, for powers of two n
	oneByOne func() map[string]Driver // koblitz's drivers that process batches row by row
}

// A Row holds the inputs of operations: a key, a message and its signatures.
type Row struct {
	Secret, Hash, Aux []byte // 32 bytes each
	Key               []byte // 33 bytes, the public key of Secret
	XOnly             []byte // 32 bytes
	ECDSA             []byte // a signature of 64 bytes
	Recoverable       []byte // a signature of 65 bytes
	Schnorr           []byte // 64 bytes
	Ellswift          []byte // an encoding of Key, 64 bytes
	Output            []byte // the x coordinate of XOnly tweaked by Hash (BIP-341)
	Parity            []byte // the parity of the output's y, a byte

	Index int  // in its list
	Next  *Row // has the other party's key; the last row is followed by the first

	// As koblitz parses them.
	private   *koblitz.PrivateKey
	public    *koblitz.PublicKey
	xonly     *koblitz.XOnlyPublicKey
	signature *ecdsa.Signature
}

// newRow returns a row that is signed with the given secret.
func newRow(secret, hash, aux []byte) *Row {
	k := private(secret)
	recoverable := must(ecdsa.SignRecoverable(k, hash, unchecked))
	output := must(k.XOnlyPublicKey().TweakAdd(hash)).Bytes()
	r := &Row{Secret: secret, Hash: hash, Aux: aux,
		Key: k.PublicKey().Bytes(), XOnly: k.XOnlyPublicKey().Bytes(),
		ECDSA: recoverable[:64], Recoverable: recoverable,
		Schnorr:  must(schnorr.Sign(k, hash, uncheckedWith(aux))),
		Ellswift: must(ellswift.Encode(k.PublicKey(), aux)),
		Output:   output[1:], Parity: []byte{output[0] & 1}}
	r.private, r.public, r.xonly = k, public(r.Key), xonly(r.XOnly)
	r.signature = signature(r.ECDSA)
	return r
}

// ring sets the fields Index and Next of all rows of a list.
func ring(rows []*Row) {
	for i, r := range rows {
		r.Index, r.Next = i, rows[(i+1)%len(rows)]
	}
}

// sizes returns the sizes of a family of batches or sums for which there are enough inputs.
func (in *Inputs) sizes(family string) []int {
	if family == Sums {
		return slices.DeleteFunc(slices.Clone(MSMSizes[:]), func(n int) bool {
			return n > len(in.Points)
		})
	}
	return familyOf(family).sizes(len(in.many))
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
		in.rows = append(in.rows, newRow(s, h, aux))
		in.A, in.B = append(in.A, bytes()), append(in.B, bytes())
	}
	ring(in.rows)
	for range rows {
		s, h := bytes(), bytes()
		in.many = append(in.many, newRow(s, h, h))
	}
	ring(in.many)
	in.oneByOne = sync.OnceValue(func() map[string]Driver {
		return rowByRow(in, asGiven, koblitzRows(in))
	})
	in.sums = map[int][]byte{}
	jac, aff := make([]point.Jacobian, terms), make([]point.Affine, terms)
	var sum, log, k scalar.Scalar // the sum is a multiple of G
	var r point.Jacobian
	for i := range terms {
		b := bytes()
		log.SetBytes((*[32]byte)(b))
		vartime.ScalarBaseMult(&jac[i], &log)
		b = bytes()
		b[0] |= byte(rng.Uint64()) & 0x80 // so that half of the scalars have 256 bits
		if !k.SetBytes((*[32]byte)(b)).Bool() {
			b[0] = 1
			k.SetBytes((*[32]byte)(b))
		}
		in.Scalars = append(in.Scalars, b)
		sum.Add(&sum, k.Mul(&k, &log))
		if n := i + 1; n&(n-1) == 0 {
			vartime.ScalarBaseMult(&r, &sum)
			in.sums[n] = compress(&r)
		}
	}
	point.BatchToAffineVartime(aff, jac)
	for i := range aff {
		in.Points = append(in.Points, slices.Concat(encode(&aff[i].X), encode(&aff[i].Y)))
	}
	return in
}

// expected returns the expected result of operation o on a row. If driver d processes a whole batch
// in one call, it returns the results of all rows. A row's result is that of koblitz's function for
// one row, and no row may be refused.
func (in *Inputs) expected(ours *Peer, o Operation, d Driver, row int) (result []byte) {
	if o.Family == Sums {
		return in.sums[o.Size]
	}
	one, ok := ours.Drivers[o.ID]
	rows := 1
	if o.Family != "" {
		if one, ok = in.oneByOne()[o.ID]; !d.Single { // then row is 0
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
