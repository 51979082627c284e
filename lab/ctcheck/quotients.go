package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// A function that may leak its arguments may divide them, but the library must not call it with
// secrets. Memcheck does not report divisions. So in a copy of the library, each division in such a
// function is followed by a branch on the quotient. Memcheck reports the branch if the dividend or
// the divisor is secret, wherever it comes from.

// follow returns a copy of the overlay in which a branch on the quotient follows each division at
// the given places. It returns an error if one of the instructions there is no division.
func (o overlay) follow(divisions map[place]bool, sources map[string]*source) (overlay, error) {
	o = maps.Clone(o)
	files := map[string][]int{} // lines by file
	for at := range divisions {
		files[at.file] = append(files[at.file], at.line)
	}
	for i, file := range slices.Sorted(maps.Keys(files)) {
		s, found := sources[file], map[int]bool{}
		function, inserts := fmt.Sprintf("quotient%d", i), map[int]string{} // texts by offset
		ast.Inspect(s.file, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || b.Op != token.QUO && b.Op != token.REM {
				return true
			}
			if line := s.at(b.OpPos); slices.Contains(files[file], line) {
				found[line] = true
				inserts[s.offset(b.Pos())] += function + "("
				inserts[s.offset(b.End())] += ")"
			}
			return true
		})
		for _, line := range files[file] {
			if !found[line] {
				return nil, fmt.Errorf("%s:%d has an instruction that is no division: no check follows %s",
					file, line, s.line(line))
			}
		}
		text := strings.Join(s.lines, "\n")
		for _, at := range slices.Backward(slices.Sorted(maps.Keys(inserts))) {
			text = text[:at] + inserts[at] + text[at:]
		}
		o[s.path] = text + strings.ReplaceAll(branchOnQuotient, "quotient", function)
	}
	return o, nil
}

// branchOnQuotient is the function that follow adds to a file.
const branchOnQuotient = `
var quotientZeros int

//go:noinline
func quotient[T comparable](q T) T {
	var zero T
	if q == zero {
		quotientZeros++
	}
	return q
}
`
