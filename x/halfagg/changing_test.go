package halfagg_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// over returns b as a slice of values that consist of bytes.
func over[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(*new(T))))
}

// under returns the bytes of s.
func under[T any](s []T) []byte {
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}

// TestChangingMemory calls each function with every argument in memory that changes when it is read
// again. The result is that of the first content. A verification that hashed another content than
// it parsed could be made to accept a forgery.
func TestChangingMemory(t *testing.T) {
	statements, signatures := signed(t, 3)
	aggregate := must(halfagg.Aggregate(statements, signatures))(t)
	two := must(halfagg.Aggregate(statements[:2], signatures[:2]))(t)
	verifyEach := func(first []byte, second []halfagg.Statement) string {
		claims := []halfagg.Claim{{first, second}, {two, statements[:2]}, {two[:95], statements[:2]}}
		verdicts := make([]batch.Verdict, len(claims))
		n, err := halfagg.VerifyEach(context.Background(), claims, verdicts, 1)
		return fmt.Sprint(n, err, verdicts)
	}
	// With a claim that is not valid, each one is verified by its own equation.
	verifyApart := func(first []byte, second []halfagg.Statement) string {
		claims := []halfagg.Claim{{first, second}, {two, statements[1:]}}
		verdicts := make([]batch.Verdict, len(claims))
		n, err := halfagg.VerifyEach(context.Background(), claims, verdicts, 1)
		return fmt.Sprint(n, err, verdicts)
	}
	changing.Same(t, "Aggregate: statements", under(statements), func(b []byte) string {
		return fmt.Sprint(halfagg.Aggregate(over[halfagg.Statement](b), signatures))
	})
	changing.Same(t, "Aggregate: signatures", under(signatures), func(b []byte) string {
		return fmt.Sprint(halfagg.Aggregate(statements, over[[64]byte](b)))
	})
	changing.Same(t, "IncAggregate: aggregate", two, func(b []byte) string {
		return fmt.Sprint(halfagg.IncAggregate(b, statements[:2], statements[2:], signatures[2:]))
	})
	changing.Same(t, "IncAggregate: aggregated", under(statements[:2]), func(b []byte) string {
		return fmt.Sprint(halfagg.IncAggregate(
			two, over[halfagg.Statement](b), statements[2:], signatures[2:]))
	})
	changing.Same(t, "IncAggregate: added", under(statements[2:]), func(b []byte) string {
		return fmt.Sprint(halfagg.IncAggregate(
			two, statements[:2], over[halfagg.Statement](b), signatures[2:]))
	})
	changing.Same(t, "IncAggregate: signatures", under(signatures[2:]), func(b []byte) string {
		return fmt.Sprint(halfagg.IncAggregate(
			two, statements[:2], statements[2:], over[[64]byte](b)))
	})
	changing.Same(t, "VerifyAggregate: aggregate", aggregate, func(b []byte) string {
		return fmt.Sprint(halfagg.VerifyAggregate(b, statements))
	})
	changing.Same(t, "VerifyAggregate: statements", under(statements), func(b []byte) string {
		return fmt.Sprint(halfagg.VerifyAggregate(aggregate, over[halfagg.Statement](b)))
	})
	changing.Same(t, "VerifyEach: aggregate", aggregate, func(b []byte) string {
		return verifyEach(b, statements)
	})
	changing.Same(t, "VerifyEach: statements", under(statements), func(b []byte) string {
		return verifyEach(aggregate, over[halfagg.Statement](b))
	})
	changing.Same(t, "VerifyEach: aggregate, apart", aggregate, func(b []byte) string {
		return verifyApart(b, statements)
	})
	changing.Same(t, "VerifyEach: statements, apart", under(statements), func(b []byte) string {
		return verifyApart(aggregate, over[halfagg.Statement](b))
	})
}
