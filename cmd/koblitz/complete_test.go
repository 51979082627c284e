package main

import (
	"io"
	"testing"
)

// TestCompletionsOnDemand: cobra knows the values of flags only where the shell asks for them. It
// keeps them for good, so a program that ran many commands would grow with each.
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
