package peer

import (
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Rows is the number of different keys and messages that an operation uses in turn: enough that
// branch predictors do not learn them.
const Rows = 128

// Inputs holds the encoded inputs for all peers, generated from a fixed seed.
type Inputs struct {
	Secret, Hash, Aux [][]byte // 32 bytes each
	Key               [][]byte // 33 bytes each, the public keys of Secret
	XOnly             [][]byte
	DER               [][]byte
	ECDSA             [][]byte // signatures of 64 bytes each
	Recoverable       [][]byte // signatures of 65 bytes each
	Schnorr           [][]byte
	A, B              [][]byte // 32 bytes each, below n and not zero
	Squares           [][]byte // A² mod p for each number in A
	Ellswift          [][]byte // encodings of Key, 64 bytes each

	// Points holds points as x ‖ y, 64 bytes each, and Scalars holds scalars of 32 bytes each: as
	// many of each as the largest multi-scalar multiplication has terms.
	Points, Scalars [][]byte

	// Many holds the inputs of the largest batch.
	Many ManyRows

	wallet   *wallet   // scans the rows of Many for silent payments
	ceremony *ceremony // signs together

	sums   map[int][]byte // the sum of the first n products k·P, for each power of two n
	summed sync.Once
}

// ManyRows holds keys, messages and their signatures, one of each per row. All keys are different.
type ManyRows struct {
	Secret           [][]byte // 32 bytes each
	Hash, Key, XOnly [][]byte // 32, 33 and 32 bytes
	ECDSA            [][]byte // 64 bytes each
	Recoverable      [][]byte // 65 bytes each
	Schnorr          [][]byte // 64 bytes each
	Ellswift         [][]byte // encodings of Key, 64 bytes each, for the largest batch of ellswiftMany
	Output           [][]byte // 33 bytes, for the largest batch of tweakCheck; see the function output

	// The following fields have the same messages, signed with few keys: the constant PreparedKeys
	// is their number, and row i is signed with key i mod PreparedKeys. There are as many rows as
	// the largest batch under prepared keys has.
	FewKeys, FewXOnly     [][]byte // 33 and 32 bytes each, one for each prepared key
	FewECDSA, FewSchnorrs [][]byte // 64 bytes each
}

// PreparedKeys is the number of different keys in batches with prepared keys.
const PreparedKeys = 64

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
		k := must(koblitz.ParsePrivateKey(s))
		sig := must(ecdsa.Sign(k, h, unchecked))
		in.Secret, in.Hash, in.Aux = append(in.Secret, s), append(in.Hash, h), append(in.Aux, aux)
		in.Key = append(in.Key, k.PublicKey().Bytes())
		in.Ellswift = append(in.Ellswift, encoding(in.Key[len(in.Ellswift)], aux))
		in.XOnly = append(in.XOnly, k.XOnlyPublicKey().Bytes())
		in.DER, in.ECDSA = append(in.DER, sig.DER()), append(in.ECDSA, sig.Bytes())
		in.Recoverable = append(in.Recoverable, must(ecdsa.SignRecoverable(k, h, unchecked)))
		in.Schnorr = append(in.Schnorr, must(schnorr.Sign(k, h, uncheckedWith(aux))))
		a := bytes()
		in.A, in.B = append(in.A, a), append(in.B, bytes())
		x := element(a)
		in.Squares = append(in.Squares, encode(x.Square(&x)))
	}
	few := make([]*koblitz.PrivateKey, PreparedKeys)
	for i := range few {
		few[i] = must(koblitz.ParsePrivateKey(bytes()))
		in.Many.FewKeys = append(in.Many.FewKeys, few[i].PublicKey().Bytes())
		in.Many.FewXOnly = append(in.Many.FewXOnly, few[i].XOnlyPublicKey().Bytes())
	}
	for i := range rows {
		s, h := bytes(), bytes()
		k := must(koblitz.ParsePrivateKey(s))
		m := &in.Many
		m.Secret = append(m.Secret, s)
		if i < largest("ecdsa-batch-prepared") {
			f := few[i%PreparedKeys]
			m.FewECDSA = append(m.FewECDSA, must(ecdsa.Sign(f, h, unchecked)).Bytes())
			m.FewSchnorrs = append(m.FewSchnorrs, must(schnorr.Sign(f, h, uncheckedWith(h))))
		}
		if i < largest(tweakCheck) {
			m.Output = append(m.Output, output(k.XOnlyPublicKey(), h))
		}
		if i < largest(ellswiftMany) {
			m.Ellswift = append(m.Ellswift, encoding(k.PublicKey().Bytes(), h))
		}
		m.Hash = append(m.Hash, h)
		m.Key, m.XOnly = append(m.Key, k.PublicKey().Bytes()), append(m.XOnly, k.XOnlyPublicKey().Bytes())
		m.Recoverable = append(m.Recoverable, must(ecdsa.SignRecoverable(k, h, unchecked)))
		m.ECDSA = append(m.ECDSA, m.Recoverable[len(m.ECDSA)][:64])
		m.Schnorr = append(m.Schnorr, must(schnorr.Sign(k, h, uncheckedWith(h))))
	}
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
// in one call, it returns the results of all rows.
func (in *Inputs) expected(ours *Peer, o Operation, d Driver, row int) []byte {
	switch {
	case o.Group == MSM:
		return in.sum(o.Size)
	case o.Group == Batches && d.Single:
		return in.many(o, row)
	case o.Group == Batches:
		var all []byte
		for i := range o.Size {
			all = append(all, in.many(o, i)...)
		}
		return all
	}
	if d, ok := ours.Drivers[o.ID]; ok && d.Out != nil {
		return d.Out(row)
	}
	return nil
}

// many returns the expected result of batch operation o for one row: a public key, a point, a
// shared secret, a signature, found payments or a verdict.
func (in *Inputs) many(o Operation, row int) []byte {
	switch o.Family {
	case "recover-batch", "parse-batch", baseMul, pubkeys:
		return in.Many.Key[row]
	case ellswiftMany:
		return in.Many.XOnly[row]
	case ecdhPairs:
		return sharedX(in.Many.Secret[row], in.Many.peerKey(row))
	case ecdhOne:
		return sharedX(in.Secret[0], in.Many.Key[row])
	case schnorrSigns:
		return signSchnorr(in.Many.Secret[row], in.Many.Hash[row])
	case schnorrSignsOne:
		return signSchnorr(in.Secret[0], in.Many.Hash[row])
	case ecdsaSigns:
		return signECDSA(in.Many.Secret[row], in.Many.Hash[row])
	case ecdsaSignsOne:
		return signECDSA(in.Secret[0], in.Many.Hash[row])
	case children:
		return in.Many.account().child(row).Bytes()
	case hashes:
		return must(new(group.Point).HashToCurve(in.Many.Hash[row], hashTag())).Bytes()
	}
	for _, s := range scans {
		if s.family == o.Family {
			return in.wallet.scan(in.Many.Key[row], in.wallet.outputs(&in.Many, s, row), s.label)
		}
	}
	return verdict(true)
}

// verifies reports whether sig is a valid signature of row i by the scheme that operation o signs
// with.
func (in *Inputs) verifies(o Operation, i int, sig []byte) bool {
	if strings.HasPrefix(o.ID, "schnorr") {
		return schnorr.Verify(must(koblitz.ParseXOnlyPublicKey(in.XOnly[i])), in.Hash[i], sig)
	}
	s, err := ecdsa.ParseSignature(sig)
	return err == nil && ecdsa.Verify(must(koblitz.ParsePublicKey(in.Key[i])), in.Hash[i], s)
}
