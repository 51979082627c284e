package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"strings"
	"testing"
)

func TestBadInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-old HEAD -rows (", "parsing regexp"},
		{"-old HEAD -rows nothing", `no row matches "nothing"`},
		{"-dropins -rows nothing", `no row matches "nothing"; the first is "dcrec`},
		{"-old no-such-commit -rows sum", `no commit "no-such-commit"`},
	} {
		var out, errs strings.Builder
		err := run(context.Background(), strings.Fields(c.args), &out, &errs)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: %v, want %q in it; printed %q", c.args, err, c.want, out.String())
		}
	}
	for _, args := range []string{
		"", "-old", "-old HEAD -pairs 0", "-old HEAD -time 0s", "-old HEAD more", "-nothing",
		"-old HEAD -dropins", "-dropins -pairs -1",
	} {
		var out, errs strings.Builder
		err := run(context.Background(), strings.Fields(args), &out, &errs)
		if !errors.Is(err, errUsage) || !strings.Contains(errs.String(), "-least") {
			t.Errorf("%q: %v; printed %q, want the list of flags", args, err, errs.String())
		}
	}
	var out, errs strings.Builder
	err := run(context.Background(), []string{"-help"}, &out, &errs)
	if !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}

// TestRun checks that the operations of dcrec and btcec have the same results with and without the
// replace lines, and that measuring one of these operations writes its row of the table.
func TestRun(t *testing.T) {
	var out, errs bytes.Buffer
	err := run(context.Background(), []string{"-dropins", "-rows", "^(dcrec|btcec):", "-pairs", "0"},
		&out, &errs)
	if err != nil || out.Len() > 0 ||
		!strings.Contains(errs.String(), "pairs: 17 operations have the same results\n") {
		t.Errorf("%v\n%s%s", err, &errs, &out)
	}

	errs.Reset()
	err = run(context.Background(), []string{"-dropins", "-rows", "^dcrec: ECDSA verify",
		"-pairs", "1", "-time", "50ms"}, &out, &errs)
	if err != nil && !errors.Is(err, ErrShort) {
		t.Fatalf("%v\n%s", err, &errs)
	}
	if !strings.Contains(out.String(), "| dcrec: ECDSA verify, parsed key | ") {
		t.Errorf("%s", &out)
	}
}
