package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestCheck plants errors that only some machines find.
func TestCheck(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("without go: it lists packages")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	files := map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.25\n",
		"m.go":           "package m\n\nimport \"errors\"\n\nvar F = errors.New\n\nconst Bits = 31\n",
		"in_test.go":     "package m\n\nvar inside int = 1 << Bits / 2\n",
		"inside_test.go": "package m\n\nvar Inside = inside\n",
		"outside_test.go": "package m_test\n\nimport \"example.org/m\"\n\n" +
			"func g() { _ = m.F(\"\"); _ = m.Inside }\n",
	}
	const kill = "package m\n\nimport \"syscall\"\n\nvar _ = syscall.Kill\n"
	const wide = "package m\n\nconst Bits = 32\n\nfunc F(string) error { return nil }\n"
	for _, tt := range []struct{ machine, name, text, want string }{
		{"windows/386", "", "", ""},
		{"wasip1/wasm", "", "", ""},
		{"linux/amd64", "bad_windows.go", "package m\n\nvar x string = 1\n", ""},
		{"windows/386", "bad_windows.go", "package m\n\nvar x string = 1\n", "bad_windows.go:3:16: "},
		{"windows/386", "b_windows_test.go", "package m\n\nfunc g() { f() }\n",
			"b_windows_test.go:3:12: undefined: f"},
		{"windows/386", "m.go", wide, "in_test.go:3:18: "},
		{"windows/amd64", "m.go", wide, ""},
		{"windows/386", "k.go", kill, "syscall.Kill"},
		{"linux/386", "k.go", kill, ""},
		{"darwin/arm64", "n.go", "package m\n\nimport _ \"example.org/n\"\n", "example.org/n"},
		{"darwin/arm64", "s.go", "package m\n\nfunc f( {}\n", "s.go:3:9: "},
		{"darwin/arm64", "f_darwin.go", "package m\n\nfunc f()\n",
			"f_darwin.go:3:1: missing function body"},
		{"darwin/arm64", "only_linux.go", "package m\n\nfunc f( {}\n", ""},
		{"darwin/arm64", "outside_test.go", "package m_test\n\nvar x int = \"\"\n",
			"outside_test.go:3:13: "},
		{"vax/vms", "", "", "vax/vms"},
	} {
		t.Chdir(t.TempDir())
		for name, text := range files {
			write(t, name, text)
		}
		if tt.name != "" {
			write(t, tt.name, tt.text)
		}
		n, err := check(tt.machine, nil, []string{"./..."})
		if tt.want == "" && (err != nil || n != 3) {
			t.Errorf("%s with %s: %d packages, want 3: %v", tt.machine, tt.name, n, err)
		}
		if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s with %s: %v, want %q", tt.machine, tt.name, err, tt.want)
		}
	}
	if _, err := check("linux/386", nil, []string{"./nothing/..."}); err == nil {
		t.Error("no package matches, and there is no error")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
