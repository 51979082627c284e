package ptx

import ("testing";"os";"time")

func TestSecond(t *testing.T) {
	b,_ := os.ReadFile("../../kernels/koblitz.ptx")
	s := time.Now()
	m, err := Parse(string(b))
	if err != nil { t.Fatal(err) }
	t.Log(time.Since(s))
	for _, f := range m.functions { t.Log(f.name, len(f.code), f.slots, f.localLen); n:=0
	  for i := range f.code { if f.code[i].op==opNeed {n++; if n<4 { t.Log(f.lines[i])}} }; t.Log(n) }
}
