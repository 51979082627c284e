package peer

import (
	"context"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// halfAggregate is the family of aggregates of BIP-340 signatures. Peers without aggregation verify
// the signatures one by one.
const halfAggregate = "halfagg"

func (b *batches) halfAggregate(n int) Driver {
	statements, signatures := make([]halfagg.Statement, n), make([][64]byte, n)
	for i := range n {
		statements[i] = halfagg.Statement{
			Key: [32]byte(b.in.XOnly[i]), Message: [32]byte(b.in.Hash[i]),
		}
		signatures[i] = [64]byte(b.in.Schnorr[i])
	}
	claims := []halfagg.Claim{
		{Aggregate: must(halfagg.Aggregate(statements, signatures)), Statements: statements},
	}
	verdicts := make([]batch.Verdict, 1)
	return b.all(n, func() bool {
		return must(halfagg.VerifyEach(context.Background(), claims, verdicts, 1)) == 1
	})
}
