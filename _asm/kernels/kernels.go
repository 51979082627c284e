// Package kernels builds each assembly function (kernel), in an avo context or as a list of
// instructions. The generator prints the result to .s files, and the interpreter checks the same
// result.
package kernels

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// A Kernel describes one assembly function.
type Kernel struct {
	Name    string // name of the Go function
	Package string // folder of its Go package below internal
	File    string // name of the .s file without its suffix
	// Signature is the signature of the Go declaration. Layout is the same signature with every
	// named type replaced by basic types of the same memory layout, as avo requires.
	Signature, Layout string
	// Doc is the contract of the kernel. It becomes the comment of the Go declaration and of the
	// function in the .s file.
	Doc string
	// ConstantTime says that the kernel's time does not depend on the memory that its pointer
	// arguments point to. Arguments by value, such as counts and lengths, are public unless Doc
	// says otherwise.
	ConstantTime bool
	// Wipes says that the kernel leaves no secret in its stack frame.
	Wipes bool
	// Clears says that the purpose of the kernel is to zero registers.
	Clears bool
	// View, if set, is the name of a second operation that this kernel computes. ViewSignature is
	// the signature of that operation, with other argument types of the same memory layout.
	View, ViewSignature string
	// Build writes the body of an amd64 kernel to c, in which the function has already been
	// started. Exactly one of Build and List is set.
	Build func(c *build.Context)
	// List returns a kernel of another architecture than amd64 as a list of instructions. Its
	// arguments are the function's name and layout.
	List func(name, layout string) *listing.Function
	// Rewrite, if set, replaces the instructions of fn, as Build wrote them, by those of the kernel.
	// Then Order, if set, reorders them without changing the results.
	Rewrite, Order func(fn *ir.Function)
}

// All returns the kernels of all packages and architectures.
func All() []Kernel {
	var all []Kernel
	for _, l := range laneLevels {
		for _, group := range [][]Kernel{
			l.lanes(), l.lanesPoint(), l.lanesSplit(), l.lanesVartime(), l.msm(),
		} {
			all = append(all, group...)
		}
	}
	for _, group := range [][]Kernel{
		field(), point(), vectorPoint(), scalar(), ecmult(), digits(), msmBuckets(), hash(), keccak(),
		divsteps(), secret(), a64(), rv64(),
	} {
		all = append(all, group...)
	}
	return all
}

// GOARCH returns the architecture of the kernel, which is the last part of File, after "_".
func (k *Kernel) GOARCH() string { return k.File[strings.LastIndexByte(k.File, '_')+1:] }

// Function returns the kernel as a list of instructions. List must be set.
func (k *Kernel) Function() *listing.Function { return k.List(k.Name, k.Layout) }

// Context returns a new avo context in which k is built. No pass of avo has run on it yet.
func (k *Kernel) Context() *build.Context {
	c := build.NewContext()
	k.Add(c)
	return c
}

// Add writes the function k to the context c.
func (k *Kernel) Add(c *build.Context) {
	c.Function(k.Name)
	c.Attributes(noSplit)
	c.SignatureExpr(k.Layout)
	k.Build(c)
	for _, change := range []func(fn *ir.Function){k.Rewrite, k.Order} {
		if f, err := c.Result(); change != nil && err == nil { // the pass Build reports an error later
			all := f.Functions()
			change(all[len(all)-1])
		}
	}
}

// argument loads the parameter with the given name into register r. For a slice, it loads the
// pointer.
func argument(c *build.Context, name string, r reg.Register) {
	p := c.Param(name)
	if _, err := p.Resolve(); err != nil {
		p = p.Base()
	}
	c.Load(p, r)
}

func machine(c *build.Context) limbs.Machine { return limbs.Machine{Context: c} }
