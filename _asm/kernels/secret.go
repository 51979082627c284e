package kernels

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

func secret() []Kernel {
	kernel := func(name, which string, vectors func(c *build.Context)) Kernel {
		return Kernel{
			Name: name, Package: "secret", File: "registers_amd64",
			Signature: "func()", Layout: "func()",
			Doc: name + " zeroes " + which + " and all general registers except\n" +
				"the stack pointer and the frame pointer.",
			ConstantTime: true,
			Clears:       true,
			Build: func(c *build.Context) {
				vectors(c)
				for _, r := range []reg.GPPhysical{
					reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI,
					reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15,
				} {
					c.XORL(r.As32(), r.As32())
				}
				c.RET()
			},
		}
	}
	return []Kernel{
		kernel("clearRegistersSSE", "the 128-bit vector registers", func(c *build.Context) {
			for _, r := range []reg.VecPhysical{
				reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
				reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
			} {
				c.PXOR(r, r)
			}
		}),
		kernel("clearRegistersAVX2", "the 256-bit vector registers", func(c *build.Context) {
			c.VZEROALL()
		}),
		kernel("clearRegistersAVX512", "the vector and mask registers", func(c *build.Context) {
			for _, r := range []reg.VecPhysical{
				reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
				reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
			} {
				c.VPXORQ(r, r, r)
			}
			c.VZEROALL()
			c.XORL(reg.EAX, reg.EAX)
			for _, k := range []reg.Register{
				reg.K0, reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7,
			} {
				c.KMOVW(reg.EAX, k)
			}
		}),
	}
}
