// Package forkjointest tests functions with a context.
package forkjointest

//ci:untested Tests of the core, bitcoin, ethereum and nostr use it.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A Call calls a function with a context, on valid rows. It returns the number of rows that the
// function returned as valid, the number of rows whose verdict is Valid, and the function's error.
// Both numbers are 1 for a function without verdicts that returned an answer, and 0 if it did not.
type Call func(ctx context.Context) (count, valid int, err error)

// One returns the results of a Call for a function without verdicts.
func One(ok bool, err error) (int, int, error) {
	if ok {
		return 1, 1, err
	}
	return 0, 0, err
}

var declaration = regexp.MustCompile(
	`(?m)^\t?func (?:\(\w+ \*?(\w+)\) )?(\w+)\(ctx context\.Context`)

// Contexts checks that calls has each function that takes a context in the given files of the
// folder api, and calls it: with a nil context, which never ends, and with contexts that end when
// the function looks at them for the first time, for the second time, and so on. The number of
// valid rows that the function returns must be that of the Valid verdicts.
func Contexts(t *testing.T, calls map[string]Call, files ...string) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) { // in Go's module cache, which has no folder api here
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			name := strings.TrimSuffix(filepath.Base(file), "txt") + strings.TrimPrefix(m[1]+"."+m[2], ".")
			if calls[name] == nil {
				t.Errorf("func %s is not tested", name)
			}
		}
	}
	tried := 0
	for name, call := range calls {
		all, valid, err := call(nil)
		if all == 0 || all != valid || err != nil {
			t.Errorf("%s, nil context: %d rows, %d of them Valid, %v", name, all, valid, err)
		}
		looks := 0
		for ended := true; ended; looks++ {
			ctx := &ending{Context: context.Background(), done: make(chan struct{})}
			ctx.left.Store(int64(looks))
			count, valid, err := call(ctx)
			ended = ctx.left.Load() < 0
			if count != valid || err == nil && count != all ||
				err != nil && (!ended || !errors.Is(err, context.Canceled)) {
				t.Errorf("%s, context ends at look %d (%t): %d of %d rows, %d of them Valid, %v",
					name, looks, ended, count, all, valid, err)
			}
		}
		if looks < 2 {
			t.Errorf("%s does not look at the context", name)
		}
		tried += 1 + looks
	}
	t.Logf("%d functions, %d calls", len(calls), tried)
}

// An ending is a context that ends after a number of calls of Err or Done, which are called looks.
type ending struct {
	context.Context
	left atomic.Int64
	done chan struct{}
}

func (c *ending) Err() error {
	select {
	case <-c.Done():
		return context.Canceled
	default:
		return nil
	}
}

func (c *ending) Done() <-chan struct{} {
	if c.left.Add(-1) == -1 {
		close(c.done)
	}
	return c.done
}
