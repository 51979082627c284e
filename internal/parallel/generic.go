package parallel

func doubleAddGeneric(p *Point, n int, a *Addend, negate uint64) { panic("todo") }
func doubleAddAffineGeneric(p *Point, n int, a *Affine)          { panic("todo") }
func doubleGeneric(p *Point, n int)                              { panic("todo") }
