package musig2

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A party is the signers of a session, with all that a session consists of.
type party struct {
	private []*koblitz.PrivateKey
	public  []*koblitz.PublicKey
	key     *AggregateKey
	secret  []*SecretNonce
	nonces  []*PublicNonce
	sum     *AggregateNonce
	msg     []byte
	session *Session
}

// privateKey returns a private key that depends only on i.
func privateKey(i int) *koblitz.PrivateKey {
	b := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
	return reference.Must(koblitz.ParsePrivateKey(b[:]))
}

// newParty returns n signers with new nonces. tweak may be nil.
func newParty(n int, msg []byte, tweak func(*AggregateKey) (*AggregateKey, error)) *party {
	p := &party{msg: msg}
	for i := range n {
		p.private = append(p.private, privateKey(i))
		p.public = append(p.public, p.private[i].PublicKey())
	}
	p.key = reference.Must(AggregateKeys(p.public...))
	if tweak != nil {
		p.key = reference.Must(tweak(p.key))
	}
	p.begin()
	return p
}

// begin begins a session with new nonces.
func (p *party) begin() {
	p.secret, p.nonces = nil, nil
	for _, key := range p.private {
		o := &NonceOptions{AggregateKey: p.key, Message: NewInput(p.msg)}
		nonce := reference.Must(GenerateNonce(key, o))
		p.secret, p.nonces = append(p.secret, nonce), append(p.nonces, nonce.PublicNonce())
	}
	p.sum = reference.Must(AggregateNonces(p.nonces...))
	p.session = reference.Must(NewSession(p.key, p.sum, p.msg))
}

// sign returns the partial signatures of all signers.
func (p *party) sign() (sigs []*PartialSignature) {
	for i, nonce := range p.secret {
		sigs = append(sigs, reference.Must(p.session.Sign(nonce, p.private[i])))
	}
	return sigs
}

var one = new(scalar.Scalar).SetUint64(1)

// plus returns sig + d, which is not valid if sig is, unless d is 0.
func plus(sig *PartialSignature, d *scalar.Scalar) *PartialSignature {
	sum := &PartialSignature{valid: true}
	sum.s.Add(&sig.s, d)
	return sum
}

// blamed returns the signers that VerifyAll found to be invalid, or nil for other errors.
func blamed(err error) []int {
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		return invalid.Signers
	}
	return nil
}

func TestSign(t *testing.T) {
	tweak := bytes.Repeat([]byte{7}, 32)
	tweaks := map[string]func(*AggregateKey) (*AggregateKey, error){
		"no tweak": nil,
		"plain":    func(k *AggregateKey) (*AggregateKey, error) { return k.TweakAdd(tweak) },
		"x-only":   func(k *AggregateKey) (*AggregateKey, error) { return k.TweakAddXOnly(tweak) },
		"taproot":  func(k *AggregateKey) (*AggregateKey, error) { return k.TaprootTweak(nil) },
		"all": func(k *AggregateKey) (*AggregateKey, error) {
			k = reference.Must(reference.Must(k.TweakAdd(tweak)).TweakAddXOnly(tweak))
			return reference.Must(k.TaprootTweak(tweak)).TweakAdd(tweak)
		},
	}
	for name, tweak := range tweaks {
		for n := 1; n <= 9; n++ {
			for _, size := range []int{0, 1, 32, 33, 1000} {
				p := newParty(n, bytes.Repeat([]byte{byte(n)}, size), tweak)
				sigs := p.sign()
				for i, sig := range sigs {
					if !p.session.VerifyPartial(i, sig, p.nonces[i]) {
						t.Errorf("%s, %d signers: the partial signature of %d does not verify", name, n, i)
					}
				}
				err := p.session.VerifyAll(sigs, p.nonces)
				if err != nil || !p.session.allValid(sigs, p.nonces, 0, n) {
					t.Errorf("%s, %d signers: the equation does not hold: %v", name, n, err)
				}
				slices.Reverse(sigs) // the order does not matter
				sig, err := p.session.Aggregate(sigs...)
				if err != nil || !schnorr.Verify(p.key.XOnlyPublicKey(), p.msg, sig) {
					t.Errorf("%s, %d signers: the signature is not valid: %v", name, n, err)
				}
			}
		}
	}
}

// TestTaproot checks that the aggregate key is tweaked as package koblitz tweaks an internal key.
func TestTaproot(t *testing.T) {
	for i := range 20 {
		k := reference.Must(AggregateKeys(privateKey(i).PublicKey(), privateKey(i+1).PublicKey()))
		root := bytes.Repeat([]byte{byte(i)}, 32*(i%2))
		want := reference.Must(k.XOnlyPublicKey().TaprootTweak(root))
		if got := reference.Must(k.TaprootTweak(root)).PublicKey(); !got.Equal(want) {
			t.Errorf("%d: %v, want %v", i, got, want)
		}
	}
	k := reference.Must(AggregateKeys(privateKey(0).PublicKey()))
	for _, size := range []int{1, 31, 33} {
		_, err := k.TaprootTweak(make([]byte, size))
		if _, err2 := k.TweakAdd(make([]byte, size)); err == nil || err2 == nil {
			t.Errorf("%d bytes are accepted: %v, %v", size, err, err2)
		}
	}
}

// TestManyKeys checks the aggregate of so many keys that they are added up in several sums.
func TestManyKeys(t *testing.T) {
	var public []*koblitz.PublicKey
	for i := range 2050 {
		public = append(public, privateKey(i%50).PublicKey())
	}
	k := reference.Must(AggregateKeys(public...))
	var want musig.Key
	var half point.Jacobian
	want.Set(k.signers.points[:1025], k.signers.coefficients[:1025])
	half.SetAffine(&want.Q)
	want.Set(k.signers.points[1025:], k.signers.coefficients[1025:])
	half.AddMixedVartime(&half, &want.Q)
	want.Q.SetJacobianVartime(&half)
	if k.key.Q != want.Q || k.Signers() != 2050 {
		t.Error("the key is not the sum of its halves")
	}
}

// TestNonceOnce checks that a secret nonce signs once, also if it was copied.
func TestNonceOnce(t *testing.T) {
	p := newParty(2, nil, nil)
	copied := &SecretNonce{open: p.secret[0].open}
	if p.secret[0].IsZero() {
		t.Error("a new nonce is zero")
	}
	reference.Must(p.session.Sign(copied, p.private[0]))
	for _, nonce := range []*SecretNonce{copied, p.secret[0], nil, {}} {
		if _, err := p.session.Sign(nonce, p.private[0]); !errors.Is(err, ErrNonceUsed) {
			t.Errorf("the error is %v", err)
		}
		if !nonce.IsZero() {
			t.Error("a used nonce is not zero")
		}
	}
	if s := p.secret[0].state(); s.k != (musig.SecretPair{}) {
		t.Error("the nonce was not overwritten")
	}
	if !p.secret[0].PublicNonce().Equal(p.nonces[0]) {
		t.Error("the public nonce is gone")
	}
	p.secret[1].Zeroize()
	if _, err := p.session.Sign(p.secret[1], p.private[1]); !errors.Is(err, ErrNonceUsed) {
		t.Errorf("a zeroized nonce: the error is %v", err)
	}
	var _ sync.Locker = new(noCopy) // go vet takes a struct with a Locker for one not to be copied
}

// TestNoncePanic checks that no copy of the private key is left if the derivation of a nonce
// panics, as it does if a message is a mapped file that was truncated.
func TestNoncePanic(t *testing.T) {
	key := (*keys.Private)(privateKey(0))
	var d *scalar.Scalar
	defer func() {
		if recover() == nil || !d.IsZero().Bool() {
			t.Error("the private key is left")
		}
	}()
	newNonce(key, key.Public().Affine(), func(_ *musig.SecretPair, x *scalar.Scalar) {
		d = x
		panic("fault")
	})
}

// TestNonceConcurrently checks that exactly one of many goroutines can sign with a nonce.
func TestNonceConcurrently(t *testing.T) {
	p := newParty(1, nil, nil)
	for range 50 {
		p.begin()
		var signed atomic.Int32
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if _, err := p.session.Sign(p.secret[0], p.private[0]); err == nil {
					signed.Add(1)
				} else if !errors.Is(err, ErrNonceUsed) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if signed.Load() != 1 {
			t.Fatalf("%d goroutines have signed", signed.Load())
		}
	}
}

// TestRefusedSign checks that errors about arguments leave the nonce unused.
func TestRefusedSign(t *testing.T) {
	p := newParty(2, nil, nil)
	stranger := privateKey(9)
	zeroized := reference.Must(koblitz.ParsePrivateKey(stranger.Bytes()))
	zeroized.Zeroize()
	others := reference.Must(GenerateNonce(stranger, nil))
	for _, c := range []struct {
		session *Session
		nonce   *SecretNonce
		key     *koblitz.PrivateKey
		want    error
	}{
		{nil, p.secret[0], p.private[0], errNoSession},
		{new(Session), p.secret[0], p.private[0], errNoSession},
		{p.session, p.secret[0], nil, koblitz.ErrZeroKey},
		{p.session, p.secret[0], zeroized, koblitz.ErrZeroKey},
		{p.session, p.secret[0], p.private[1], errOtherKey},
		{p.session, others, stranger, errNotSigner},
	} {
		if _, err := c.session.Sign(c.nonce, c.key); !errors.Is(err, c.want) {
			t.Errorf("the error is %v, want %v", err, c.want)
		}
		if c.nonce.IsZero() {
			t.Errorf("%v: the nonce is used", c.want)
		}
	}
}

// TestNonceOptions checks that each option changes the nonce that given random bytes determine.
func TestNonceOptions(t *testing.T) {
	key := privateKey(0)
	k := reference.Must(AggregateKeys(key.PublicKey()))
	seen := map[string]int{}
	for i, o := range []*NonceOptions{
		nil, {AggregateKey: k}, {Message: NewInput([]byte{})},
		{Message: NewInput([]byte{1})}, {Extra: NewInput([]byte{1})},
	} {
		for _, private := range []*keys.Private{(*keys.Private)(key), nil} {
			random := [32]byte{1}
			n := reference.Must(derive(private, (*keys.Private)(key).Public(), o, &random))
			if random != [32]byte{} {
				t.Error("the random bytes were not overwritten")
			}
			b := n.PublicNonce().String()
			if j, ok := seen[b]; ok {
				t.Errorf("options %d and %d give the same nonce", i, j)
			}
			seen[b] = i
		}
	}
	a, b := reference.Must(GenerateNonce(key, nil)), reference.Must(GenerateNonce(key, nil))
	if a.PublicNonce().Equal(b.PublicNonce()) {
		t.Error("two nonces are the same")
	}
	if reference.Must(GenerateNonceWithoutKey(key.PublicKey(), nil)).IsZero() ||
		reference.Must(GenerateNonce(key.Blinded(), nil)).IsZero() {
		t.Error("no nonce without a key, or with a blinded key")
	}
	if checkExtra(1<<32-1) != nil || checkExtra(1<<32) == nil {
		t.Error("an extra input may have 2^32 - 1 bytes")
	}
}

// TestBlame checks that VerifyAll names the signers that sent invalid values, and no others: some
// signers, or one at each position.
func TestBlame(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 7, 25, 32} {
		p := newParty(n, []byte("blame"), nil)
		good := p.sign()
		for mask := range 64 + n {
			sigs, nonces := slices.Clone(good), slices.Clone(p.nonces)
			var want []int
			for i := range n {
				if mask < 64 && mask>>(i%6)&1 == 0 || mask >= 64 && i != mask-64 {
					continue
				}
				want = append(want, i)
				switch i % 4 {
				case 0:
					sigs[i] = plus(good[i], one)
				case 1:
					sigs[i] = nil
				case 2:
					nonces[i] = new(PublicNonce)
				case 3:
					nonces[i] = reference.Must(GenerateNonce(p.private[i], nil)).PublicNonce()
				}
			}
			err := p.session.VerifyAll(sigs, nonces)
			if (err == nil) != (want == nil) || !slices.Equal(blamed(err), want) {
				t.Errorf("%d signers: the error is %v, want %v", n, err, want)
			}
		}
	}
}

// TestText checks that each encoding of a value gives the value back.
func TestText(t *testing.T) {
	p := newParty(2, nil, nil)
	sig := p.sign()[0]
	check := func(v, back, zero interface {
		fmt.Stringer
		encoding.TextMarshaler
		encoding.TextUnmarshaler
		encoding.BinaryMarshaler
		encoding.BinaryUnmarshaler
	}) {
		t.Helper()
		if zero.String() != "zero" {
			t.Errorf("the zero value prints as %v", zero)
		}
		if err := back.UnmarshalText(reference.Must(v.MarshalText())); err != nil ||
			back.String() != v.String() {
			t.Errorf("the text %v gives %v, %v", v, back, err)
		}
		if err := zero.UnmarshalBinary(reference.Must(v.MarshalBinary())); err != nil ||
			zero.String() != v.String() {
			t.Errorf("the bytes of %v give %v, %v", v, zero, err)
		}
		if back.UnmarshalText([]byte("0g")) == nil || back.UnmarshalBinary([]byte{1}) == nil ||
			back.String() != v.String() {
			t.Error("an invalid text is accepted, or changes the value")
		}
	}
	check(p.nonces[0], new(PublicNonce), new(PublicNonce))
	check(p.sum, new(AggregateNonce), new(AggregateNonce))
	check(sig, new(PartialSignature), new(PartialSignature))
}

// TestDeterministicSign checks a session in which the last signer needs no secret nonce.
func TestDeterministicSign(t *testing.T) {
	for _, random := range [][]byte{nil, bytes.Repeat([]byte{1}, 32)} {
		p := newParty(3, []byte("message"), nil)
		others := reference.Must(AggregateNonces(p.nonces[:2]...))
		sign := func(msg []byte) (*PublicNonce, *PartialSignature) {
			n, sig, err := DeterministicSign(p.private[2], p.key, others, msg, random)
			return reference.Must(n, err), sig
		}
		n, sig := sign(p.msg)
		p.nonces[2] = n
		p.session = reference.Must(NewSession(p.key, reference.Must(AggregateNonces(p.nonces...)), p.msg))
		p.secret = p.secret[:2]
		sigs := append(p.sign(), sig)
		if err := p.session.VerifyAll(sigs, p.nonces); err != nil {
			t.Error(err)
		}
		if !schnorr.Verify(p.key.XOnlyPublicKey(), p.msg, reference.Must(p.session.Aggregate(sigs...))) {
			t.Error("the signature does not verify")
		}
		if again, same := sign(p.msg); !again.Equal(n) || !same.Equal(sig) {
			t.Error("a second call returns other values")
		}
		if changed, _ := sign([]byte("x")); changed.Equal(n) {
			t.Error("two messages have the same nonce")
		}
		_, _, err := DeterministicSign(p.private[2], p.key, others, nil, make([]byte, 31))
		if err == nil {
			t.Error("31 random bytes are accepted")
		}
	}
}
