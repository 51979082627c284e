// Package abi0 computes where Go's calling convention for assembly, ABI0, puts arguments and
// results. They are in memory, in order, each at a multiple of its alignment. The convention is the
// same on all 64-bit architectures.
package abi0

//ci:untested The tests of interp/amd64 check its offsets.

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/mmcloughlin/avo/gotypes"
)

// Results returns the byte ranges that hold results in the argument area of a function with
// signature s.
func Results(s *gotypes.Signature) (all []interp.Span) {
	for k := 0; ; k++ {
		b, err := s.Results().At(k).Resolve()
		if err != nil {
			return all
		}
		at := b.Addr.Disp
		all = append(all, interp.Span{From: at, To: at + int(gotypes.Sizes.Sizeof(b.Type))})
	}
}

// Locate returns the offset, in the argument area, of the parameter or result with the given name.
// For a slice it returns the offset of the pointer; the name with ".len" appended gives the offset
// of the length.
func Locate(s *gotypes.Signature, name string) (int, bool) {
	name, length := strings.CutSuffix(name, ".len")
	for _, t := range []*gotypes.Tuple{s.Params(), s.Results()} {
		c := t.Lookup(name)
		if length {
			c = c.Len()
		}
		for _, x := range []gotypes.Component{c, c.Base()} {
			if b, err := x.Resolve(); err == nil {
				return b.Addr.Disp, true
			}
		}
	}
	return 0, false
}
