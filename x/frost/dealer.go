package frost

import (
	"bytes"
	"errors"

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
	c, err := p.commitment()
	if err != nil {
		return nil, nil, err
	}
	shares, err := p.shares(n)
	if err != nil {
		return nil, nil, err
	}
	if err := p.confirm(c, shares); err != nil {
		return nil, nil, err
	}
	return shares, c, nil
}

// shares returns the shares of n participants. The caller confirms them.
func (p polynomial) shares(n int) ([]*koblitz.PrivateKey, error) {
	shares := make([]*koblitz.PrivateKey, n)
	for i := range shares {
		var err error
		if shares[i], err = p.share(uint32(i)); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// confirm computes the commitment and the shares again, and returns an error if they differ. A
// share of another participant or another polynomial would tell its receiver more than its own.
func (p polynomial) confirm(c *Commitment, shares []*koblitz.PrivateKey) error {
	again, err := p.commitment()
	if err != nil {
		return err
	}
	same := bytes.Equal(again.Bytes(), c.Bytes())
	for i, share := range shares {
		s, err := p.share(uint32(i))
		if err != nil {
			return err
		}
		same = same && s.Equal(share)
		s.Zeroize()
	}
	if !same {
		return errors.New("frost: the new shares are not those of the commitment: a fault happened")
	}
	return nil
}
