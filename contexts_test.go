package koblitz_test

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/internal/forkjoin/forkjointest"
	"github.com/koblitz-go/koblitz/lab/operations"
)

// TestContexts checks every function that takes a context: see forkjointest.Contexts.
func TestContexts(t *testing.T) {
	const secret = "a secret number of 32 bytes that is not above n"
	calls := map[string]forkjointest.Call{}
	for _, op := range operations.All() {
		if op.Needs&operations.Context == 0 {
			continue
		}
		o := operations.NewOperands()
		o.Rows, o.Workers, o.Paid = 300, 2, true
		calls[op.Name] = func(ctx context.Context) (count, valid int, err error) {
			copy(o.D, secret)
			copy(o.E, secret)
			o.Context = ctx
			if err := o.Prepare(op.Needs); err != nil {
				t.Fatal(err)
			}
			err = op.Run(o)
			return o.Count, o.Valid, err
		}
	}
	forkjointest.Contexts(t, calls)
}
