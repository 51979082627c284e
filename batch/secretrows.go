package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// SecretOptions say how a call on secrets is carried out. A nil *SecretOptions is the same as the
// zero value. There is no device: secrets stay on the CPU.
type SecretOptions struct {
	// Workers has the meaning that it has in [Options].
	Workers int

	// Unchecked omits the verification of new signatures, as Unchecked of ecdsa.SignOptions and
	// schnorr.SignOptions does. A fault during signing can then give away a private key. Set it
	// only if the signatures are verified elsewhere before they are published, or if faults are no
	// concern. Calls that do not sign return an error with Unchecked.
	Unchecked bool
}

// SecretRows are private keys. They print as a fixed text, and encoders return an error, like all
// types of rows with a column Secrets.
type SecretRows struct {
	Secrets Column // 32 bytes, big-endian, in [1, n), as for koblitz.ParsePrivateKey

	redacted
}

// noEncoding is an unexported alias, so that a struct that embeds it has no exported field for it.
type noEncoding = secret.NoEncoding

// PublicKeys computes the public key of each private key, sets the row's verdict, and returns the
// number of Valid rows. dst must have 33 bytes for each row. If the row is Valid, PublicKeys writes
// to those bytes the compressed encoding of the key (SEC 1 version 2, section 2.3.3). If the secret
// is 0 or not below n, the row is Malformed, and PublicKeys writes zeros. After a fault of the
// machine that changed the secret, the row is Invalid and gets zeros, and there is an error.
//
// The time depends on the number of rows, and not on secrets that are in [1, n). The memory that
// held secrets is wiped before PublicKeys returns.
func (r SecretRows) PublicKeys(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	return multiplySecrets(ctx, dst, 33, verdicts, o, r.Secrets.field("Secrets", 32))
}

// ECDHRows are private keys, and the public keys of their peers. To multiply many keys by one
// secret, use [Same] for Secrets; this is also faster than the same secret in each row.
type ECDHRows struct {
	Secrets Column // 32 bytes, big-endian, in [1, n), as for koblitz.ParsePrivateKey
	Keys    Column // 32 bytes, as for koblitz.ParseXOnlyPublicKey, or 33, as for ParsePublicKey

	redacted
}

// SharedX computes the x coordinate of secret·key for each row (SEC 1 version 2, section 3.3.1),
// sets the row's verdict, and returns the number of Valid rows. dst must have 32 bytes for each
// row. If the row is Valid, SharedX writes to those bytes what [ecdh.SharedX] returns. If the
// secret is 0 or not below n, or if the key cannot be decoded, the row is Malformed, and SharedX
// writes zeros. After a fault of the machine that changed the secret or the key, the row is Invalid
// and gets zeros, and there is an error: the product could reveal the secret.
//
// The time depends on the number of rows and on the keys, which are public, and not on secrets that
// are in [1, n). The memory that held secrets is wiped before SharedX returns. The caller should
// overwrite dst after use.
func (r ECDHRows) SharedX(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	return multiplySecrets(ctx, dst, 32, verdicts, o, r.Secrets.field("Secrets", 32),
		r.Keys.field("Keys", 32, 33))
}

// multiplySecrets multiplies secrets, the first of the fields, by the keys in the second, or by G
// if there is no second. It sets the verdicts of the rows, and writes the x coordinates of the
// products to dst, size bytes for each row: 32, or for compressed encodings 33. It returns the
// number of Valid rows.
func multiplySecrets(
	ctx context.Context, dst []byte, size int, verdicts []Verdict, o *SecretOptions,
	fields ...field,
) (valid int, err error) {
	if o != nil && o.Unchecked {
		return 0, errors.New("batch: Unchecked: the call signs nothing")
	}
	if err := fit(len(verdicts), dst, size, fields...); err != nil {
		return 0, err
	}
	secrets := &fields[0].values
	multiply := func(w *secretWorker, lo, hi int) {
		w.load(secrets, lo, hi)
		//ct:secret w.k[0].IsHigh().Bool()
		k, keyed := w.k[:hi-lo], len(fields) > 1
		if keyed && secrets.form == same {
			k = k[:1] // ScalarMult then splits it once
		}
		w.multiply(k, hi-lo, keyed)
		for i := range hi - lo {
			r, out := &w.r[i], dst[(lo+i)*size:][:size]
			v := w.judgeProduct(i, &k[min(i, len(k)-1)], keyed)
			if verdicts[lo+i] = v; v != Valid {
				clear(out)
				continue
			}
			if size == 33 {
				out[0] = 0x02 | byte(r.Y.IsOdd())
			}
			r.X.PutBytes((*[32]byte)(out[size-32:]))
		}
	}
	return runSecrets(ctx, verdicts, o, newSecretWorker, func(w *secretWorker, lo, hi int) {
		if len(fields) > 1 {
			fields[1].points(w.p[:hi-lo], w.ok, lo)
		}
		secret.DoDeep(func() { multiply(w, lo, hi) })
	})
}

// A secretWorker is the memory of one worker of a call on secrets.
type secretWorker struct {
	many    *ecmult.Many
	k       []scalar.Scalar // secrets, with 1 in place of those that are malformed
	secrets []scalar.Scalar // copies of k, or 0 for a secret that is malformed
	good    []ct.Choice     // whether the secret is in [1, n)
	p, r    []point.Affine  // keys and products
	ok      []bool          // whether the key could be decoded
}

func newSecretWorker(rows int) *secretWorker {
	return &secretWorker{
		many:    ecmult.NewMany(rows),
		k:       make([]scalar.Scalar, rows),
		secrets: make([]scalar.Scalar, rows),
		good:    make([]ct.Choice, rows),
		p:       make([]point.Affine, rows),
		r:       make([]point.Affine, rows),
		ok:      slices.Repeat([]bool{true}, rows),
	}
}

// Wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (w *secretWorker) Wipe() {
	w.many.Wipe()
	clear(w.k)
	clear(w.secrets)
	clear(w.r)
}

// load sets w.k, w.secrets and w.good to the secrets of the rows from lo to hi.
func (w *secretWorker) load(c *values, lo, hi int) {
	var one, zero scalar.Scalar
	one.One()
	for i := range hi - lo {
		if i > 0 && c.form == same {
			w.k[i], w.secrets[i], w.good[i] = w.k[0], w.secrets[0], w.good[0]
		} else {
			k := &w.k[i]
			w.good[i] = k.SetNonzeroBytes((*[32]byte)(c.row(lo + i)))
			//ct:secret w.good[i].Bool()
			k.Select(w.good[i], k, &one)
			w.secrets[i].Select(w.good[i], k, &zero)
		}
	}
	secret.ClearRegisters() // so that a collection during the next step saves no secret
}

// multiply sets the first n products to multiples of the keys, or of G unless keyed is set, by the
// scalars k, one for each row or one for all.
func (w *secretWorker) multiply(k []scalar.Scalar, n int, keyed bool) {
	if keyed {
		w.many.ScalarMult(w.r[:n], k, w.p[:n])
	} else {
		w.many.ScalarBaseMult(w.r[:n], k)
	}
	//ct:secret w.r[0].X.IsOdd().Bool()
}

// judgeProduct returns the verdict on row i of the block, whose product is a multiple by k, of a
// key if keyed is set. It is Invalid after a fault that changed the secret or the key: the product
// could reveal the secret, most easily if it is on another curve.
func (w *secretWorker) judgeProduct(i int, k *scalar.Scalar, keyed bool) Verdict {
	v, sound := w.verdict(i), k.Equal(&w.secrets[i])
	if keyed {
		sound &= w.r[i].IsOnCurve()
	}
	if v == Valid && !sound.Reveal() { //ct:unrun no case makes a fault
		return Invalid
	}
	return v
}

// verdict returns the verdict on the arguments of row i of the block: Valid or Malformed.
func (w *secretWorker) verdict(i int) Verdict {
	if good := w.good[i].Reveal(); !good || !w.ok[i] {
		return Malformed
	}
	return Valid
}

// runSecrets calls f for blocks of rows, as [ecmult.Share] does, and returns the number of Valid
// rows. f must call a function of package secret for its work on secrets. A row is Invalid if a
// fault was found in its computation; runSecrets then returns an error.
func runSecrets[W interface{ Wipe() }](
	ctx context.Context, verdicts []Verdict, o *SecretOptions, memory func(rows int) W,
	f func(w W, lo, hi int),
) (valid int, err error) {
	ctx = forkjoin.Context(ctx)
	workers := 0
	if o != nil {
		workers = o.Workers
	}
	clear(verdicts)
	ecmult.Share(ctx, len(verdicts), workers, memory, f)
	for _, v := range verdicts {
		switch v {
		case Valid:
			valid++
		case Unchecked:
			err = cmp.Or(ctx.Err(), context.Canceled) // an error even if ctx.Err() is nil by now
		}
	}
	if i := slices.Index(verdicts, Invalid); i >= 0 { //ct:unrun no case makes a fault
		err = fmt.Errorf("batch: row %d: a fault in the computation", i)
	}
	return valid, err
}
