// Package kernels holds every kernel as a function that builds it, in an avo context or as a
// list of instructions: data for the writer of the .s files and for the interpreter that
// checks them.
package kernels

//ci:untested interp/contract runs every kernel.

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// A Kernel is one function in assembly.
type Kernel struct {
	Name    string // of the Go function
	Package string // its folder under internal
	File    string // the .s file, without its suffix
	// Signature is that of the Go declaration. Memory has the layout that the
	// named types have; Layout is the signature in words, for avo.
	Signature, Layout string
	// Doc is the contract, the text of the declaration and of the .s file.
	Doc string
	// ConstantTime says that time does not depend on what the pointers point
	// to. Numbers by value (a count, a length) are public, unless Doc says
	// otherwise.
	ConstantTime bool
	// Wipes says that no secret is left on the frame.
	Wipes bool
	// Clears says that registers are zero at the end.
	Clears bool
	// View is another operation that this kernel computes, and ViewSignature its signature,
	// with arguments of other types but the same layout.
	View, ViewSignature string
	// Build writes the body, of a kernel for amd64. The function is begun already.
	Build func(c *build.Context)
	// List returns a kernel for another architecture as a list of instructions, under a name
	// and with a signature in words. One of the two is there.
	List func(name, layout string) *listing.Function
	// Order, if there is one, puts the instructions into another order, which
	// computes the same.
	Order func(fn *ir.Function)
}

// All returns the kernels, package by package.
func All() []Kernel {
	var all []Kernel
	for _, group := range [][]Kernel{
		field(), point(), scalar(), ecmult(),
		lanes(), lanesPoint(), lanesSplit(), lanesVartime(),
		msm(), msmBuckets(), hash(), keccak(), divsteps(), secret(),
		a64(), rv64(),
	} {
		all = append(all, group...)
	}
	return all
}

// GOARCH returns the architecture that the kernel is for.
func (k *Kernel) GOARCH() string { return k.File[strings.LastIndexByte(k.File, '_')+1:] }

// Function returns a kernel that is a list of instructions.
func (k *Kernel) Function() *listing.Function { return k.List(k.Name, k.Layout) }

// Context returns an avo context in which k is built, and no pass has run.
func (k *Kernel) Context() *build.Context {
	c := build.NewContext()
	k.Add(c)
	return c
}

// Add builds k in c.
func (k *Kernel) Add(c *build.Context) {
	c.Function(k.Name)
	c.Attributes(noSplit)
	c.SignatureExpr(k.Layout)
	k.Build(c)
	if k.Order == nil {
		return
	}
	if f, err := c.Result(); err == nil { // or else it is reported later
		all := f.Functions()
		k.Order(all[len(all)-1])
	}
}

// argument loads a parameter into a register. Of a slice it is the pointer.
func argument(c *build.Context, name string, r reg.Register) {
	p := c.Param(name)
	if _, err := p.Resolve(); err != nil {
		p = p.Base()
	}
	c.Load(p, r)
}

func machine(c *build.Context) limbs.Machine { return limbs.Machine{Context: c} }
