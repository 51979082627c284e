package main

import "testing"

// TestCases runs every case without memcheck: they must work as plain code.
func TestCases(t *testing.T) { main() }
