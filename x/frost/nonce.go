package frost

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A SecretNonce is the secret of one signer for one session. Signing consumes it: a second use
// returns an error, even if both happen at the same time. It prints as a fixed text, and encoders
// get an error. Copies share the secret, so that only one of them can sign; go vet reports them.
// The zero value holds no nonce, and signing with it returns an error.
type SecretNonce struct {
	redacted
	_      [0]sync.Mutex // makes go vet report copies
	pair   *atomic.Pointer[noncePair]
	public *PublicNonce
}

// A noncePair holds the numbers k₁ and k₂.
type noncePair [2]group.Scalar

func (k *noncePair) zeroize() {
	k[0].Zeroize()
	k[1].Zeroize()
}

var errUsedNonce = errors.New("frost: secret nonce: it was used before, or holds no nonce")

// take returns the pair and removes it from n, so that no other call returns it.
func (n *SecretNonce) take() (*noncePair, error) {
	if n == nil || n.pair == nil {
		return nil, errUsedNonce
	}
	k := n.pair.Swap(nil)
	if k == nil {
		return nil, errUsedNonce
	}
	return k, nil
}

// Zeroize overwrites the nonce, if signing has not consumed it.
func (n *SecretNonce) Zeroize() {
	if k, err := n.take(); err == nil {
		k.zeroize()
	}
}

// Public returns the public nonce, which the signer sends to the coordinator. It returns nil if n
// is nil or a zero value.
func (n *SecretNonce) Public() *PublicNonce {
	if n == nil {
		return nil
	}
	return n.public
}

// newSecretNonce returns the nonce with the numbers in k, and zeroizes k if there is an error.
func newSecretNonce(k *noncePair) (*SecretNonce, error) {
	public := new(PublicNonce)
	for i := range k {
		key, err := publicKey(&k[i])
		if err == nil {
			_, err = public.points[i].SetPublicKey(key)
		}
		if err != nil {
			k.zeroize()
			return nil, fmt.Errorf("frost: nonce: %w", err)
		}
	}
	n := &SecretNonce{public: public, pair: new(atomic.Pointer[noncePair])}
	n.pair.Store(k)
	return n, nil
}

// NonceOptions are known parts of the session, all optional. They protect against a source of
// randomness that repeats: nonces for different options differ even if their randomness is the
// same.
type NonceOptions struct {
	Share       *koblitz.PrivateKey     // the signer's secret share
	PublicShare *koblitz.PublicKey      // the signer's public share
	Key         *koblitz.XOnlyPublicKey // the threshold public key, tweaked
	Message     Input                   // the zero Input if unknown; an empty message is another one
	Extra       Input                   // anything that differs between sessions; less than 2³² bytes

	redacted
}

// An Input holds bytes that are hashed into a nonce. They may be secret, so an Input prints as a
// fixed text, even in a field of another value, and encoders get an error. The zero value holds no
// bytes.
type Input struct {
	redacted
	open func() []byte // hides the bytes: printers follow slices
}

// NewInput returns an Input of the bytes b, which it does not copy. If b is nil, the result is the
// zero value.
func NewInput(b []byte) Input {
	if b == nil {
		return Input{}
	}
	return Input{open: func() []byte { return b }}
}

// bytes returns the bytes of i, or nil if i is the zero value.
func (i *Input) bytes() []byte {
	if i.open == nil {
		return nil
	}
	return i.open()
}

// GenerateNonce returns a fresh secret nonce (NonceGen of BIP-445). A nil *NonceOptions is the same
// as the zero value. The time does not depend on the share.
//
// A nonce must be used once. Never restore a process or a machine from a snapshot while a nonce
// waits in its memory: two partial signatures by one nonce reveal the secret share.
func GenerateNonce(o *NonceOptions) (*SecretNonce, error) {
	var random [32]byte
	rand.Read(random[:])
	return generateNonce(&random, o)
}

// generateNonce does the work of GenerateNonce with given randomness, and overwrites the
// randomness.
func generateNonce(random *[32]byte, o *NonceOptions) (*SecretNonce, error) {
	defer clear(random[:])
	if o == nil {
		o = new(NonceOptions)
	}
	message, extra := o.Message.bytes(), o.Extra.bytes()
	if err := checkExtra(uint64(len(extra))); err != nil {
		return nil, err
	}
	switch {
	case o.PublicShare != nil && o.PublicShare.IsZero():
		return nil, fmt.Errorf("frost: nonce: PublicShare: %w", koblitz.ErrZeroKey)
	case o.Key != nil && o.Key.IsZero():
		return nil, fmt.Errorf("frost: nonce: Key: %w", koblitz.ErrZeroKey)
	}
	if o.Share != nil {
		if err := mask(random, o.Share); err != nil {
			return nil, err
		}
	}
	head := append([]byte{byte(len(o.PublicShare.Bytes()))}, o.PublicShare.Bytes()...)
	head = append(append(head, byte(len(o.Key.Bytes()))), o.Key.Bytes()...)
	if message == nil {
		head = append(head, 0)
	} else {
		head = binary.BigEndian.AppendUint64(append(head, 1), uint64(len(message)))
	}
	length := binary.BigEndian.AppendUint32(nil, uint32(len(extra)))
	// Both numbers are hashes of this copy, which is the only one: an Input may be secret.
	input := slices.Concat(head, message, length, extra)
	defer clear(input)
	return newSecretNonce(hashNonce("BIP0445/nonce", random, input))
}

// checkExtra returns an error if the length of NonceOptions.Extra does not fit in the 4 bytes that
// BIP-445 has for it.
func checkExtra(length uint64) error {
	if length > math.MaxUint32 {
		return fmt.Errorf("frost: nonce: Extra: %d bytes, want less than 2^32", length)
	}
	return nil
}

// mask replaces random by the exclusive or of its hash and the share.
func mask(random *[32]byte, share *koblitz.PrivateKey) error {
	secret := share.Bytes()
	defer clear(secret)
	if secret == nil {
		return fmt.Errorf("frost: nonce: secret share: %w", koblitz.ErrZeroKey)
	}
	*random = schnorr.TaggedHash("BIP0445/aux", random[:])
	subtle.XORBytes(random[:], random[:], secret)
	return nil
}

// hashNonce returns the hashes of secret, input and the numbers 0 and 1.
func hashNonce(tag string, secret *[32]byte, input []byte) *noncePair {
	k := new(noncePair)
	for i := range k {
		digest := schnorr.TaggedHash(tag, secret[:], input, []byte{byte(i)})
		modn.Reduce(&k[i], &digest)
		clear(digest[:])
	}
	return k
}

// nonceSize is the size of an encoded public nonce in bytes.
const nonceSize = 2 * group.PointSize

// A PublicNonce is the message of a signer in the first round: k₁·G and k₂·G. The zero value is no
// nonce, and functions that take one return an error.
type PublicNonce struct {
	points [2]group.Point // neither is the identity
}

// ParsePublicNonce decodes a public nonce: two compressed points, 66 bytes. It returns an error if
// one is not a point of the curve or is the identity; the signer who sent it misbehaves.
func ParsePublicNonce(b []byte) (*PublicNonce, error) {
	n := new(PublicNonce)
	if err := parseNonce(&n.points, b, parsePoint); err != nil {
		return nil, fmt.Errorf("frost: public nonce: %w", err)
	}
	return n, nil
}

// parseNonce decodes two points.
func parseNonce(points *[2]group.Point, b []byte, parse func(*group.Point, []byte) error) error {
	if len(b) != nonceSize {
		return fmt.Errorf("%d bytes, want %d", len(b), nonceSize)
	}
	for i := range points {
		if err := parse(&points[i], b[group.PointSize*i:][:group.PointSize]); err != nil {
			return fmt.Errorf("point %d: %w", i+1, err)
		}
	}
	return nil
}

// Bytes returns the 66 bytes that encode n, or nil if n is nil or a zero value.
func (n *PublicNonce) Bytes() []byte {
	if n.isZero() {
		return nil
	}
	return n.points[1].AppendBytes(n.points[0].Bytes())
}

func (n *PublicNonce) equal(a *PublicNonce) bool {
	return !n.isZero() && equal(&n.points, &a.points)
}

func (n *PublicNonce) isZero() bool { return n == nil || n.points[0].IsIdentity() }

// An AggregateNonce is the sum of the signers' public nonces. The coordinator sends it to all
// signers. Its points may be the identity, if a signer misbehaves; signing then continues, so that
// verification of the partial signatures shows who did. The zero value is no sum, and a session
// refuses it.
type AggregateNonce struct {
	points [2]group.Point
	set    bool
}

// ParseAggregateNonce decodes an aggregate nonce: two points, 66 bytes. Zeros encode the identity.
// It returns an error if one is not a point; the coordinator who sent it misbehaves.
func ParseAggregateNonce(b []byte) (*AggregateNonce, error) {
	n := &AggregateNonce{set: true}
	if err := parseNonce(&n.points, b, func(p *group.Point, b []byte) error {
		_, err := p.SetBytes(b)
		return err
	}); err != nil {
		return nil, fmt.Errorf("frost: aggregate nonce: %w", err)
	}
	return n, nil
}

// AggregateNonces returns the sum of the signers' nonces (NonceAgg of BIP-445). It returns an error
// if there are none, or if one is nil or a zero value.
func AggregateNonces(nonces []*PublicNonce) (*AggregateNonce, error) {
	sum := &AggregateNonce{set: len(nonces) > 0}
	if !sum.set {
		return nil, errors.New("frost: aggregate nonce: no nonces")
	}
	for i, n := range nonces {
		if n.isZero() {
			return nil, fmt.Errorf("frost: public nonce %d: nil or a zero value", i)
		}
		for j := range n.points {
			sum.points[j].Add(&sum.points[j], &n.points[j])
		}
	}
	group.BatchNormalize(sum.points[:])
	return sum, nil
}

// Bytes returns the 66 bytes that encode n, or nil if n is nil or a zero value.
func (n *AggregateNonce) Bytes() []byte {
	if n == nil || !n.set {
		return nil
	}
	return n.points[1].AppendBytes(n.points[0].Bytes())
}
