package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A record is the set of the parts of one call.
type record map[*part]bool

// A block holds the statements of a file between two places.
type block struct {
	from, to int
	ran      bool
}

func (x block) holds(place int) bool { return x.from <= place && place < x.to }

// place returns a number for a place in a file. The order of the numbers is that of the places.
func place(line, column int) int { return line<<16 + column }

func (b *build) place(pos token.Pos) int {
	p := b.fset.Position(pos)
	return place(p.Line, p.Column)
}

// record makes a call at a level and returns the parts that it needs. dir is a new folder.
func (b *build) record(dir, call string, l level) record {
	env := []string{"KOBLITZ_CPU_OFF=" + l.off, "GOCOVERDIR=" + os.TempDir(), "GOMAXPROCS=1"}
	if has := strings.TrimSpace(output(env, b.program, call, dir)); has != l.features {
		panic(fmt.Sprintf("the CPU has %q, and the level %s is %q", has, l.name, l.features))
	}
	profile := filepath.Join(dir, "profile")
	output(nil, "go", "tool", "covdata", "textfmt", "-i", dir, "-o", profile)
	blocks := map[string][]block{}
	for line := range strings.Lines(string(reference.Must(os.ReadFile(profile)))) {
		// The format is: file:line.column,line.column statements count
		file, rest, _ := strings.Cut(line, ":")
		var l1, c1, l2, c2, n, count int
		if got, _ := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &l1, &c1, &l2, &c2, &n, &count); got == 6 {
			blocks[file] = append(blocks[file], block{place(l1, c1), place(l2, c2), count > 0})
		}
	}
	r := record{}
	for _, p := range slices.Collect(maps.Values(b.parts)) { // use adds to them
		if p.kind != function {
			continue
		}
		body := block{from: b.place(p.node.Pos()), to: b.place(p.node.End())}
		if slices.ContainsFunc(blocks[p.file], func(x block) bool {
			return x.ran && body.holds(x.from)
		}) {
			r[p] = true
			b.use(r, p, blocks[p.file])
		}
	}
	return r
}

// use adds to r the declarations, kernels and parts outside that p names, except in statements that
// did not run.
func (b *build) use(r record, p *part, blocks []block) {
	ast.Inspect(p.node, func(n ast.Node) bool {
		id, _ := n.(*ast.Ident)
		if id == nil || b.info.Uses[id] == nil || b.info.Uses[id].Pkg() == nil {
			return true
		}
		at, object := b.place(id.Pos()), b.info.Uses[id]
		if slices.ContainsFunc(blocks, func(x block) bool { return !x.ran && x.holds(at) }) {
			return true
		}
		pkg, name := object.Pkg().Path(), object.Name()
		f, counts := object.(*types.Func)
		if counts {
			object, name = f.Origin(), strings.ReplaceAll(f.FullName(), pkg+".", "")
		} else if v, ok := object.(*types.Var); ok {
			counts = v.Parent() == v.Pkg().Scope()
		}
		if counts && !ours(pkg) && b.parts[object] == nil {
			b.parts[object] = &part{pkg: pkg, name: name, kind: outside}
		}
		if q := b.parts[object]; q != nil && q.kind != function && !r[q] {
			r[q] = true
			if q.kind == declaration {
				b.use(r, q, nil)
			}
		}
		return true
	})
}
