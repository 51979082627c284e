package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

// dir is the folder of the module lab/dropins, which holds the operations.
const dir = "../../dropins"

// TestRun checks that the operations of dcrec and btcec have the same results with and without the
// replace lines, and that measuring one of these operations writes its row of the table.
func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	err := run(context.Background(), []string{"-dir", dir,
		"-rows", "^(dcrec|btcec):", "-pairs", "0", "-layouts", "1"},
		&out, &errs)
	if err != nil || out.Len() > 0 ||
		!strings.Contains(errs.String(), "dropins: 17 operations have the same results\n") {
		t.Errorf("%v\n%s%s", err, &errs, &out)
	}

	errs.Reset()
	args := []string{
		"-dir", dir, "-rows", "^dcrec: ECDSA verify", "-pairs", "1", "-layouts", "1",
		"-time", "50ms",
	}
	err = run(context.Background(), args, &out, &errs)
	if err != nil && !errors.Is(err, pairs.ErrShort) {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if !strings.Contains(out.String(), "| dcrec: ECDSA verify, parsed key | ") {
		t.Errorf("%s", &out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range []string{
		"-pairs -1", "-layouts 0", "-time 0s", "more", "-no-such-flag",
	} {
		var errs bytes.Buffer
		err := run(context.Background(), strings.Fields(args), &bytes.Buffer{}, &errs)
		if !errors.Is(err, pairs.ErrUsage) || errs.Len() == 0 {
			t.Errorf("%s: %v, %s", args, err, &errs)
		}
	}
	var none bytes.Buffer
	err := run(context.Background(), []string{"-rows", "no such row"}, &none, &none)
	if err == nil || errors.Is(err, pairs.ErrUsage) {
		t.Errorf("a row that is not there: %v", err)
	}
}
