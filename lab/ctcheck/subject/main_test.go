package main

import (
	"slices"
	"testing"
)

// TestCases checks that every case runs without valgrind.
func TestCases(t *testing.T) { main() }

func TestMessages(t *testing.T) {
	want := []int{0, 31, 32, 33, 64}
	for _, all := range [][][]byte{messages(), secretMessages(1)} {
		var got []int
		for _, m := range all {
			got = append(got, len(m))
		}
		if !slices.Equal(got, want) {
			t.Errorf("lengths %v, want %v", got, want)
		}
	}
}
