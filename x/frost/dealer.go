package frost

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// Deal splits a private key among n participants, so that any t of them can sign for its public key
// and fewer than t learn nothing about it (RFC 9591, appendix C). It returns the secret shares, by
// identifier, and the commitment that participants check their share with. The dealer knows the
// key, and must zeroize it and the shares after handing each share to its participant over a
// confidential channel.
//
// Deal returns an error unless 1 ≤ t ≤ n < 2^32, or if secret holds no key. The time depends on t
// and n, and not on the secret.
func Deal(secret *koblitz.PrivateKey, t, n int) ([]*koblitz.PrivateKey, *Commitment, error) {
	if err := checkSizes(t, n); err != nil {
		return nil, nil, err
	}
	var constant group.Scalar
	if _, err := constant.SetPrivateKey(secret); err != nil {
		return nil, nil, err
	}
	defer constant.Zeroize()
	p := newPolynomial(&constant, t)
	defer p.zeroize()
	return p.deal(n)
}

// deal returns the shares of n participants and the commitment.
func (p polynomial) deal(n int) ([]*koblitz.PrivateKey, *Commitment, error) {
	shares := make([]*koblitz.PrivateKey, n)
	for i := range shares {
		var err error
		if shares[i], err = p.share(uint32(i)); err != nil {
			return nil, nil, err
		}
	}
	c, err := p.commitment()
	return shares, c, err
}
