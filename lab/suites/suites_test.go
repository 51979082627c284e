package main

import (
	"bytes"
	"fmt"
	goversion "go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// here returns a runner for the repository that contains this test.
func here(t *testing.T) runner {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return runner{root: root}
}

// TestPinned checks that every suite has a go.mod that requires the suite's versions and has no
// replace lines.
func TestPinned(t *testing.T) {
	files, err := filepath.Glob("testdata/mods/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2*len(suites) {
		t.Errorf("%d files for %d suites", len(files), len(suites))
	}
	for _, s := range suites {
		text, err := os.ReadFile("testdata/mods/" + s.name + ".mod")
		if err != nil {
			t.Error(err)
			continue
		}
		if bytes.Contains(text, []byte("replace")) {
			t.Errorf("%s has a replace line", s.name)
		}
		for _, m := range append(slices.Clone(s.modules), dcrec+"@"+dcrecVersion) {
			line := strings.Replace(m, "@", " ", 1)
			if !bytes.Contains(text, []byte("\t"+line)) && !bytes.Contains(text, []byte("require "+line)) {
				t.Errorf("%s does not require %s", s.name, m)
			}
		}
	}
}

// faulty returns a flag for an overlay (go help build) in which a function begins with the
// statements in body. head is the function's declaration up to its parameters, which is in the
// given file.
func faulty(t *testing.T, root, file, head, body string) string {
	file = filepath.Join(root, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), head)
	signature, code, found := strings.Cut(rest, " {")
	if !found {
		t.Fatalf("%s has no %s", file, head)
	}
	changed := before + head + signature + " { if true { " + body + " }; " + code
	dir := t.TempDir()
	other, overlay := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	list := fmt.Sprintf(`{"Replace": {%q: %q}}`, file, other)
	for name, text := range map[string]string{other: changed, overlay: list} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return "-overlay=" + overlay
}

// TestFaults checks that faults planted in the drop-in's packages count as ours. The faults make
// tests fail, or keep tests from running because an earlier test panics.
func TestFaults(t *testing.T) {
	s := suite{name: "btcec", modules: suites[0].modules, packages: []string{btcec + "/ecdsa"},
		keepsBtcec: true}
	for _, c := range []struct {
		file, head, body string
		want             map[string]string // expected outcomes of tests
	}{
		{
			"compat/impl/ecdsa/verify.go", "func (sig *Signature) Verify", "return true",
			map[string]string{"TestSignAndVerify": "fail"},
		},
		{
			"compat/impl/secp256k1/private.go", "func (p PrivateKey) Serialize", "panic(0)",
			map[string]string{"TestRFC6979": "fail", "TestPrivKeys": ""},
		},
	} {
		r := here(t)
		r.flags = []string{faulty(t, r.root, c.file, c.head, c.body)}
		rep, err := r.run(s)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		rep.details(&out)
		for name, end := range c.want {
			i := slices.IndexFunc(rep.ours, func(t test) bool { return t.name == name })
			if i < 0 || rep.drop.ended[rep.ours[i]] != end {
				t.Errorf("with another %s: %v are ours, want %s", c.head, rep.ours, name)
			}
			if !strings.Contains(out.String(), name) {
				t.Errorf("%s is not in\n%s", name, &out)
			}
		}
		if !strings.Contains(out.String(), "OURS") || len(rep.theirs) != 0 {
			t.Errorf("with another %s: %v are theirs\n%s", c.head, rep.theirs, &out)
		}
	}
}

// TestReaches checks that a run fails if the tests of a package do not depend on the replaced
// module, or if the package has no tests.
func TestReaches(t *testing.T) {
	for pkg, want := range map[string]string{
		"github.com/btcsuite/btcd/chainhash/v2": "do not reach " + dcrec,
		"structs":                               "structs has no tests",
	} {
		s := suite{name: "btcec", packages: []string{pkg}}
		_, err := here(t).run(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pkg, err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	if _, err := choose([]string{"nosuchsuite"}, false); err == nil {
		t.Error("no error for a suite that does not exist")
	}
	chosen, err := choose(nil, true)
	if err != nil || len(chosen) == 0 || len(chosen) == len(suites) {
		t.Errorf("%d quick suites of %d, %v", len(chosen), len(suites), err)
	}
	for _, s := range chosen {
		if !s.quick {
			t.Errorf("%s is not quick", s.name)
		}
	}
}

// TestUnpack checks that unpack copies the released module, with a go line that the running Go
// accepts.
func TestUnpack(t *testing.T) {
	dir := t.TempDir()
	if err := unpack(btcec+"@"+btcecVersion, dir); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	line := "\ngo " + strings.TrimPrefix(goversion.Lang(runtime.Version()), "go") + "\n"
	if err != nil || !strings.Contains(string(mod), line) ||
		!strings.HasPrefix(string(mod), "module "+btcec+"\n") {
		t.Errorf("%v\n%s", err, mod)
	}
	if _, err := os.Stat(filepath.Join(dir, "schnorr", "signature.go")); err != nil {
		t.Error(err)
	}
	if err := unpack(btcec+"@v0.0.0", t.TempDir()); err == nil {
		t.Error("no error for a version that does not exist")
	}
}
