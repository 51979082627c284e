package peer

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/musig2"
)

// A ceremony holds the inputs for the operations of MuSig2 (BIP-327). In a round, the aggregate key
// of three signers and the aggregate nonce are known. One signer makes a nonce, derives the values
// of the session, and signs. The inputs are the keys of many signers, a session of the first three,
// and a session of the first hundred with the partial signatures of all.
type ceremony struct {
	private []*koblitz.PrivateKey
	public  []*koblitz.PublicKey
	keys    [][]byte // 33 bytes each

	msg   []byte
	three sharedSession
	many  sharedSession
}

// A sharedSession is a session with all that its signers have sent.
type sharedSession struct {
	key    *musig2.AggregateKey
	sum    *musig2.AggregateNonce
	nonces []*musig2.PublicNonce
	sigs   []*musig2.PartialSignature
	*musig2.Session
}

func newCeremony() *ceremony {
	c := &ceremony{msg: make([]byte, 32)}
	for i := range 1000 {
		b := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		c.private = append(c.private, private(b[:]))
		c.public = append(c.public, c.private[i].PublicKey())
		c.keys = append(c.keys, c.public[i].Bytes())
	}
	c.three, c.many = c.session(3), c.session(100)
	return c
}

// session returns a session of the first n signers.
func (c *ceremony) session(n int) (s sharedSession) {
	secret := make([]*musig2.SecretNonce, n)
	for i := range secret {
		secret[i] = must(musig2.GenerateNonce(c.private[i], nil))
		s.nonces = append(s.nonces, secret[i].PublicNonce())
	}
	s.key = must(musig2.AggregateKeys(c.public[:n]...))
	s.sum = must(musig2.AggregateNonces(s.nonces...))
	s.Session = must(musig2.NewSession(s.key, s.sum, c.msg))
	for i := range secret {
		s.sigs = append(s.sigs, must(s.Sign(secret[i], c.private[i])))
	}
	return s
}

// signed returns the verdict on a partial signature that another implementation has made as signer
// 0 of the session of three.
func (c *ceremony) signed(nonce, sig []byte) []byte {
	n, err := musig2.ParsePublicNonce(nonce)
	if err != nil {
		return nil
	}
	s, err := musig2.ParsePartialSignature(sig)
	return verdict(err == nil && c.three.VerifyPartial(0, s, n))
}

// koblitz adds to d the drivers of this library.
func (c *ceremony) koblitz(d map[string]Driver) {
	var nonce *musig2.SecretNonce
	round := once(Constant, func() *musig2.PartialSignature {
		nonce = must(musig2.GenerateNonce(c.private[0], nil))
		s := must(musig2.NewSession(c.three.key, c.three.sum, c.msg))
		return must(s.Sign(nonce, c.private[0]))
	}, func(s *musig2.PartialSignature) []byte {
		return c.signed(nonce.PublicNonce().Bytes(), s.Bytes())
	})
	d["musig2-round"], d["musig2-round-checked"] = round.noted("checked"), round
	d["musig2-verify-100"] = once(Public, func() bool {
		ok := c.many.VerifyAll(c.many.sigs, c.many.nonces) == nil
		accept(ok)
		return ok
	}, verdict)
	d["musig2-aggregate-1000"] = once(Public, func() *musig2.AggregateKey {
		return must(musig2.AggregateKeys(c.public...))
	}, func(k *musig2.AggregateKey) []byte { return k.XOnlyPublicKey().Bytes() })
}
