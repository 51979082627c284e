package ethereum

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ethereum/wire"
)

// Authorities sets authorities[i] and errs[i] to the results of auths[i].Authority(), the account
// that signed the authorization (EIP-7702), and returns the number of authorizations with an
// account. Lengths, errors of other rows and the context are as for [Senders].
func Authorities(
	ctx context.Context, auths []types.SetCodeAuthorization,
	authorities []common.Address, errs []error, o *Options,
) (valid int, err error) {
	return recoverAll(ctx, len(auths), authorities, errs, o, func() source {
		return authorizations(auths)
	})
}

// authorizations is the source of the rows of Authorities.
type authorizations []types.SetCodeAuthorization

func (a authorizations) rule() batch.SRule { return batch.LowS }

// look adds a row for authorization i, or asks go-ethereum.
func (a authorizations) look(i int, r *rows) (common.Address, bool, error) {
	auth := a[i]
	if auth.V > 1 {
		from, err := a.ask(i)
		return from, true, err
	}
	// 0x05 and the list [chain ID, address, nonce]
	r.payload = append(r.payload, 0x05)
	start := len(r.payload)
	r.payload = wire.AppendString(r.payload, auth.ChainID.Bytes())
	r.payload = wire.AppendString(r.payload, auth.Address[:])
	r.payload = wire.WrapList(wire.AppendUint64(r.payload, auth.Nonce), start)
	x, y := auth.R.Bytes32(), auth.S.Bytes32()
	r.add(i, x[:], y[:], auth.V)
	return common.Address{}, false, nil
}

func (a authorizations) ask(i int) (common.Address, error) { return a[i].Authority() }

func (a authorizations) found(int, common.Address) {}
