package proof

import "github.com/koblitz-go/koblitz/_asm/interp"

func addX86Vectors(t map[string]func(*Run, *interp.Inst)) {
	t["VZEROUPPER"] = func(*Run, *interp.Inst) {}
	t["VZEROALL"] = t["VZEROUPPER"]
}
