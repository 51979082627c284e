package operations

import (
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/pkix"
)

type privateKey = koblitz.PrivateKey

var privateKeys = []Operation{
	{"koblitz.GenerateKey", 0, func(o *Operands) error {
		o.Made = koblitz.GenerateKey()
		o.give(o.Made.Bytes())
		return nil
	}},
	{"koblitz.ParsePrivateKey", Numbers, makes(func(o *Operands) (*privateKey, error) {
		return koblitz.ParsePrivateKey(o.D)
	})},
	{"koblitz.PrivateKey.Bytes", Keys, do(func(o *Operands) { o.give(o.Key.Bytes()) })},
	{"koblitz.PrivateKey.PublicKey", Keys, do(func(o *Operands) { o.Key.PublicKey() })},
	{"koblitz.PrivateKey.XOnlyPublicKey", Keys, do(func(o *Operands) { o.Key.XOnlyPublicKey() })},
	{"koblitz.PrivateKey.Equal", Keys, asks(func(o *Operands) bool { return o.Key.Equal(o.Other) })},
	{"koblitz.PrivateKey.Equal with itself", Keys, asks(func(o *Operands) bool {
		return o.Key.Equal(o.Key)
	})},
	{"koblitz.PrivateKey.Negate", Keys, do(func(o *Operands) { o.Made = o.Key.Negate() })},
	{"koblitz.PrivateKey.Blinded", Keys, do(func(o *Operands) { o.Key.Blinded().PublicKey() })},
	{"koblitz.PrivateKey.Zeroize", Keys, do(func(o *Operands) { o.Key.Zeroize() })},
	{"koblitz.PrivateKey.IsZero", Keys, asks(func(o *Operands) bool { return o.Key.IsZero() })},
	{"koblitz.PrivateKey.TweakAdd", Keys | Numbers, makes(func(o *Operands) (*privateKey, error) {
		return o.Key.TweakAdd(o.E)
	})},
	{"koblitz.PrivateKey.TweakAdd with a blinded key", Keys | Numbers,
		makes(func(o *Operands) (*privateKey, error) {
			return o.Key.Blinded().TweakAdd(o.E)
		})},
	{"koblitz.PrivateKey.TweakMul", Keys | Numbers, makes(func(o *Operands) (*privateKey, error) {
		return o.Key.TweakMul(o.E)
	})},
	{"koblitz.PrivateKey.TweakAddXOnly", Keys | Numbers,
		makes(func(o *Operands) (*privateKey, error) {
			return o.Key.TweakAddXOnly(o.E)
		})},
	{"koblitz.PrivateKey.TaprootTweak", Keys | Hash, makes(func(o *Operands) (*privateKey, error) {
		return o.Key.TaprootTweak(o.Hash)
	})},
	{"koblitz.PrivateKey.TaprootTweak with a blinded key", Keys | Hash,
		makes(func(o *Operands) (tweaked *privateKey, err error) {
			k := o.Key.Blinded()
			k.PublicKey()
			var wg sync.WaitGroup
			wg.Go(func() { tweaked, err = k.TaprootTweak(o.Hash) }) // on a small stack
			wg.Wait()
			return tweaked, err
		})},
	{"koblitz.PublicKey.TweakAdd", Numbers, func(o *Operands) error {
		_, err := o.Peer.TweakAdd(o.D)
		return err
	}},
	{"koblitz.PublicKey.TweakMul", Numbers, func(o *Operands) error {
		_, err := o.Peer.TweakMul(o.D)
		return err
	}},
	{"koblitz.XOnlyPublicKey.TweakAdd", Numbers, func(o *Operands) error {
		_, err := o.Peer.XOnlyPublicKey().TweakAdd(o.D)
		return err
	}},
}

// blinded returns the private key with the blinding E.
func (o *Operands) blinded() *koblitz.PrivateKey {
	var b scalar.Scalar
	b.SetBytes(array(o.E))
	k := koblitz.PrivateKey((*keys.Private)(o.Key).Blinded(ecmult.NewBlinding(&b)))
	return &k
}

// sharing holds the operations that compute a secret from a private key and the peer's key.
var sharing = []Operation{
	{"ecdh.SharedX", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.SharedX(o.Key, o.Peer)
	})},
	{"ecdh.AppendSharedX", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.AppendSharedX(nil, o.Key, o.Peer)
	})},
	{"ecdh.SharedXOnly", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.SharedXOnly(o.Key, o.Peer.XOnlyPublicKey())
	})},
	{"ecdh.AppendSharedXOnly", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.AppendSharedXOnly(nil, o.Key, o.Peer.XOnlyPublicKey())
	})},
	{"ecdh.SharedSHA256", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.SharedSHA256(o.Key, o.Peer)
	})},
	{"ecdh.AppendSharedSHA256", Keys, gives(func(o *Operands) ([]byte, error) {
		return ecdh.AppendSharedSHA256(nil, o.Key, o.Peer)
	})},
	{"ellswift.Create", Keys | Random, func(o *Operands) error {
		_, err := ellswift.Create(o.Key, o.Random)
		return err
	}},
	{"ellswift.SharedSecret", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		theirs, ours := o.encodings()
		return ellswift.SharedSecret(o.Key, ours, theirs, true)
	})},
	{"ellswift.AppendSharedSecret", Keys | Hash, gives(func(o *Operands) ([]byte, error) {
		theirs, ours := o.encodings()
		return ellswift.AppendSharedSecret(nil, o.Key, ours, theirs, false)
	})},
}

// encodings returns two encodings of the peer's key in ElligatorSwift.
func (o *Operands) encodings() (theirs, ours []byte) {
	theirs, _ = ellswift.Encode(o.Peer, make([]byte, 32))
	ours, _ = ellswift.Encode(o.Peer, o.Hash)
	return theirs, ours
}

// encoding holds the operations of package pkix.
var encoding = []Operation{
	{"pkix.MarshalECPrivateKey", Keys, marshals(pkix.MarshalECPrivateKey)},
	{"pkix.MarshalPKCS8PrivateKey", Keys, marshals(pkix.MarshalPKCS8PrivateKey)},
	{"pkix.MarshalECPrivateKeyPEM", Keys, marshals(pkix.MarshalECPrivateKeyPEM)},
	{"pkix.MarshalPrivateKeyPEM", Keys, marshals(pkix.MarshalPrivateKeyPEM)},
	{"pkix.ParseECPrivateKey", Keys, parses(pkix.MarshalECPrivateKey, pkix.ParseECPrivateKey)},
	{"pkix.ParsePKCS8PrivateKey", Keys,
		parses(pkix.MarshalPKCS8PrivateKey, pkix.ParsePKCS8PrivateKey)},
	{"pkix.ParsePrivateKeyPEM", Keys, parses(pkix.MarshalPrivateKeyPEM, pkix.ParsePrivateKeyPEM)},
}

func marshals(f func(*koblitz.PrivateKey) ([]byte, error)) func(o *Operands) error {
	return func(o *Operands) error {
		b, err := f(o.Key)
		clear(b)
		return err
	}
}

func parses(
	marshal func(*koblitz.PrivateKey) ([]byte, error), parse func([]byte) (*koblitz.PrivateKey, error),
) func(o *Operands) error {
	return func(o *Operands) error {
		b, err := marshal(o.Key)
		if err != nil {
			return err
		}
		o.Made, err = parse(b)
		clear(b)
		return err
	}
}
