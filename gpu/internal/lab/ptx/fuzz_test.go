package ptx

import "testing"

// FuzzParse checks that no text makes the parser or the interpreter panic. The programs run without
// any allocated memory, so an address that they compute by chance is never valid.
func FuzzParse(f *testing.F) {
	for opcode, o := range forms {
		f.Add(program(instruction(opcode, o), o.widths[0], o.widths[1:]))
	}
	f.Add(program("{ .param .b64 p; st.param.b32 [p+4], 9; call.uni (p), k, (p); }\n"+
		"atom.shared.add.u32 %r1, [%in], 1;\nbar.sync 0;\nbra A; A: @!%p1 ret;\n", 32, nil))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		img := m.Load(NewMemory(1 << 16))
		for _, k := range m.kernels {
			for range 2 {
				_, _ = img.Run(k, Launch{Groups: 2, Items: 3,
					Params: make([]byte, k.ParamSize), Limit: 1000})
			}
		}
	})
}
