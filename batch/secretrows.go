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
	// Workers is the greatest number of goroutines that work on a call at a time, the caller's
	// included. If it is below 1, runtime.GOMAXPROCS(0) is used instead. Small calls use fewer.
	Workers int

	// Unchecked omits the verification of new signatures, as Unchecked of ecdsa.SignOptions and
	// schnorr.SignOptions does. A fault during signing can then give away a private key. Set it
	// only if the signatures are verified elsewhere before they are published, or if faults are no
	// concern. Calls that do not sign return an error with Unchecked.
	Unchecked bool
}

var errUnchecked = errors.New("batch: Unchecked: the call signs nothing")

// plain returns an error if o has options that only calls that sign have.
func (o *SecretOptions) plain() error {
	if o != nil && o.Unchecked {
		return errUnchecked
	}
	return nil
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
// number of Valid rows. verdicts must have one element for each row; PublicKeys overwrites all of
// them. dst must have 33 bytes for each row. If the row is Valid, PublicKeys writes to those bytes
// the compressed encoding of the key (SEC 1 version 2, section 2.3.3). If the secret is 0 or not
// below n, the row is Malformed, and PublicKeys writes zeros. No row is Invalid. It writes nothing
// for rows that were not reached, and sets them to Unchecked.
//
// The time depends on the number of rows, and not on secrets that are in [1, n). The memory that
// held secrets is wiped before PublicKeys returns.
//
// It returns an error before it writes anything if the column is missing, has another width, or
// does not have as many rows as there are verdicts, if dst has another length or shares memory with
// the column, or if o.Unchecked is set. If ctx is done first, it returns the error of ctx.
func (r SecretRows) PublicKeys(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	const size = 33
	secrets := r.Secrets.field("Secrets", 32)
	if err := o.plain(); err != nil {
		return 0, err
	}
	if err := fit(len(verdicts), dst, size, secrets); err != nil {
		return 0, err
	}
	derive := func(w *secretWorker, lo, hi int) {
		n := hi - lo
		w.load(&secrets.values, lo, hi)
		//ct:secret w.k[0].IsHigh().Bool()
		w.many.ScalarBaseMult(w.r[:n], w.k[:n])
		for i := range n {
			out := (*[size]byte)(dst[(lo+i)*size:])
			out[0] = 0x02 | byte(w.r[i].Y.IsOdd())
			w.r[i].X.PutBytes((*[32]byte)(out[1:]))
			if verdicts[lo+i] = w.verdict(i); verdicts[lo+i] != Valid {
				clear(out[:])
			}
		}
	}
	return runSecrets(ctx, verdicts, o, newSecretWorker, nil, nil, derive)
}

// ECDHRows are private keys, and the public keys of their peers. To multiply many keys by one
// secret, use [Same] for Secrets; this is also faster than the same secret in each row.
type ECDHRows struct {
	Secrets Column // 32 bytes, big-endian, in [1, n), as for koblitz.ParsePrivateKey
	Keys    Column // 32 bytes, as for koblitz.ParseXOnlyPublicKey, or 33, as for ParsePublicKey

	redacted
}

// SharedX computes the x coordinate of secret·key for each row (SEC 1 version 2, section 3.3.1),
// sets the row's verdict, and returns the number of Valid rows. verdicts must have one element for
// each row; SharedX overwrites all of them. dst must have 32 bytes for each row. If the row is
// Valid, SharedX writes to those bytes what [ecdh.SharedX] returns. If the secret is 0 or not below
// n, or if the key cannot be decoded, the row is Malformed, and SharedX writes zeros. No row is
// Invalid. It writes nothing for rows that were not reached, and sets them to Unchecked.
//
// The time depends on the number of rows and on the keys, which are public, and not on secrets that
// are in [1, n). The memory that held secrets is wiped before SharedX returns. The caller should
// overwrite dst after use.
//
// Errors are those of [SecretRows.PublicKeys].
func (r ECDHRows) SharedX(
	ctx context.Context, dst []byte, verdicts []Verdict, o *SecretOptions,
) (valid int, err error) {
	const size = 32
	secrets := r.Secrets.field("Secrets", 32)
	keys := r.Keys.field("Keys", 32, 33)
	if err := o.plain(); err != nil {
		return 0, err
	}
	if err := fit(len(verdicts), dst, size, secrets, keys); err != nil {
		return 0, err
	}
	decode := func(w *secretWorker, lo, hi int) { keys.points(w.p[:hi-lo], w.ok, lo) }
	multiply := func(w *secretWorker, lo, hi int) {
		n := hi - lo
		w.load(&secrets.values, lo, hi)
		k := w.k[:n]
		if secrets.form == same {
			k = k[:1] // ScalarMult then splits it once
		}
		w.many.ScalarMult(w.r[:n], k, w.p[:n])
		//ct:secret w.r[0].X.IsOdd().Bool()
		for i := range n {
			out := (*[size]byte)(dst[(lo+i)*size:])
			w.r[i].X.PutBytes(out)
			if verdicts[lo+i] = w.verdict(i); verdicts[lo+i] != Valid {
				clear(out[:])
			}
		}
	}
	return runSecrets(ctx, verdicts, o, newSecretWorker, decode, nil, multiply)
}

// A secretWorker is the memory of one worker of a call on secrets.
type secretWorker struct {
	many *ecmult.Many
	k    []scalar.Scalar // secrets, with 1 in place of those that are malformed
	good []ct.Choice     // whether the secret is in [1, n)
	p, r []point.Affine  // keys and products
	ok   []bool          // whether the key could be decoded
}

func newSecretWorker(rows int) *secretWorker {
	w := &secretWorker{
		many: ecmult.NewMany(rows),
		k:    make([]scalar.Scalar, rows),
		good: make([]ct.Choice, rows),
		p:    make([]point.Affine, rows),
		r:    make([]point.Affine, rows),
		ok:   make([]bool, rows),
	}
	for i := range w.ok {
		w.ok[i] = true
	}
	return w
}

// Wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (w *secretWorker) Wipe() {
	w.many.Wipe()
	clear(w.k)
	clear(w.r)
}

// load sets w.k and w.good to the secrets of the rows from lo to hi.
func (w *secretWorker) load(c *values, lo, hi int) {
	var one scalar.Scalar
	one.One()
	for i := range hi - lo {
		if i > 0 && c.form == same {
			w.k[i], w.good[i] = w.k[0], w.good[0]
		} else {
			k := &w.k[i]
			w.good[i] = k.SetNonzeroBytes((*[32]byte)(c.row(lo + i)))
			//ct:secret w.good[i].Bool()
			k.Select(w.good[i], k, &one)
		}
	}
	secret.ClearRegisters() // or a collection during the next step may save a secret from one
}

// verdict returns the verdict on the arguments of row i of the block: Valid or Malformed.
func (w *secretWorker) verdict(i int) Verdict {
	if good := w.good[i].Reveal(); !good || !w.ok[i] {
		return Malformed
	}
	return Valid
}

// runSecrets calls f for blocks of rows, as [ecmult.Share] does, under package secret. Before each
// call it calls prepare for the same block, and after it check, unless they are nil. Both handle
// public values only, and may use more stack than package secret wipes. runSecrets returns the
// number of Valid rows. An Invalid row is one whose signature was refused.
func runSecrets[W interface{ Wipe() }](
	ctx context.Context, verdicts []Verdict, o *SecretOptions, memory func(rows int) W,
	prepare, check, f func(w W, lo, hi int),
) (valid int, err error) {
	ctx = forkjoin.Context(ctx)
	workers := 0
	if o != nil {
		workers = o.Workers
	}
	clear(verdicts)
	ecmult.Share(ctx, len(verdicts), workers, memory, func(w W, lo, hi int) {
		if prepare != nil {
			prepare(w, lo, hi)
		}
		secret.DoDeep(func() { f(w, lo, hi) })
		if check != nil {
			check(w, lo, hi)
		}
	})
	for _, v := range verdicts {
		switch v {
		case Valid:
			valid++
		case Unchecked:
			err = cmp.Or(ctx.Err(), context.Canceled) // an error even if Err of ctx forgets its own
		}
	}
	if i := slices.Index(verdicts, Invalid); i >= 0 { //ct:unrun no case makes a fault
		err = fmt.Errorf("batch: row %d: the signature that was made does not verify: "+
			"a fault in the computation", i)
	}
	return valid, err
}
