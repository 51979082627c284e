// Package abi0 computes where Go's calling convention for assembly, ABI0, puts arguments and
// results: in memory, in order, each aligned to its size. The convention is the same on all 64-bit
// architectures.
package abi0

//ci:untested The tests of interp/amd64 check its offsets.

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/mmcloughlin/avo/gotypes"
)

// Results returns the ranges of bytes of the argument area that hold results.
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

// Locate returns the offset of a parameter or a result in the argument area. For a slice it is the
// offset of its pointer; name.len is that of its length.
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
