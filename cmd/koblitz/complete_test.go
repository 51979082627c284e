package main

import (
	"io"
	"testing"
)

// TestCompletionsOnDemand checks that flag values are registered with cobra only if the shell asks
// for completions. Cobra never frees the values, so a program that runs many commands would
// otherwise use more memory with each command.
func TestCompletionsOnDemand(t *testing.T) {
	root := newRoot(streams{out: io.Discard, err: io.Discard})
	check, _, err := root.Find([]string{"check"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := check.GetFlagCompletionFunc("format"); ok {
		t.Error("the values of --format are registered before anybody asks")
	}
	registerCompletions(root)
	if _, ok := check.GetFlagCompletionFunc("format"); !ok {
		t.Error("the values of --format are not registered")
	}
}
