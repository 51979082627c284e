package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/_asm/kernels"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
)

type symbols struct {
	*proof.Run
	x       *instance
	buffers map[string]*Buffer
	in      map[string][]*proof.Form
}

func (s *symbols) element(name string, at int) *proof.Form {
	start := s.x.regions[name].Address() + uint64(8*at)
	w := make([]*proof.Form, 4)
	for k := range w {
		w[k] = s.Word(start + uint64(8*k))
	}
	return proof.Join(64, w...)
}

func (r *Runner) prove(c *Call, claim func(s *symbols) error) error {
	x, err := r.instance(c)
	if err != nil {
		return err
	}
	if err := r.load(x, r.program, c); err != nil {
		return err
	}
	run, stop := proof.Follow(x.machine)
	defer stop()
	s := &symbols{run, x, map[string]*Buffer{}, map[string][]*proof.Form{}}
	for k := range c.Buffers {
		b := &c.Buffers[k]
		if b.Same != "" {
			continue
		}
		for at := range b.In {
			a := x.regions[b.Param].Address() + uint64(8*at)
			run.HoldWord(fmt.Sprintf("%s%d", b.Param, at), a)
			s.in[b.Param] = append(s.in[b.Param], run.Word(a))
		}
	}
	if err := x.machine.Run(); err != nil {
		return err
	}
	return claim(s)
}

func TestProofTry(t *testing.T) {
	all := kernels.All()
	for at := range all {
		k := &all[at]
		name := k.Name
		if !strings.HasPrefix(name, "mul") || k.Package != "field" && k.Package != "scalar" {
			continue
		}
		start := time.Now()
		run := NewRunner(program(t, k), k.ConstantTime)
		r := rand.New(rand.NewPCG(1, 2))
		for _, f := range []Ring{Field(), Scalars()} {
			if (k.Package == "scalar") != f.Canonical {
				continue
			}
			c := f.Multiplications("v", "a", "b", r, 1, false)[0]
			err := run.prove(c, func(s *symbols) error {
				a, b := proof.Join(64, s.in["a"]...), proof.Join(64, s.in["b"]...)
				fmt.Println(s)
				v := s.element("v", 0)
				return s.Congruent(v, f.Modulus, func(p *proof.Point) *big.Int {
					return new(big.Int).Mod(new(big.Int).Mul(p.Value(a), p.Value(b)), f.Modulus)
				})
			})
			fmt.Println(k.Package, name, err, time.Since(start))
		}
	}
}
