package main

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

func TestBadInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-old HEAD -rows (", "parsing regexp"},
		{"-old HEAD -rows nothing", `no row matches "nothing"`},
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
	} {
		var out, errs strings.Builder
		err := run(context.Background(), strings.Fields(args), &out, &errs)
		if !errors.Is(err, pairs.ErrUsage) || !strings.Contains(errs.String(), "-least") {
			t.Errorf("%q: %v; printed %q, want the list of flags", args, err, errs.String())
		}
	}
	var out, errs strings.Builder
	err := run(context.Background(), []string{"-help"}, &out, &errs)
	if !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: %v", err)
	}
}
