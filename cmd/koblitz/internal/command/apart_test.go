package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
)

// TestCoreBefore checks that this tree's command with device support, and its device module,
// compile with the core module of the previous commit, because users may combine different versions
// of these modules. If the core's API has changed since that commit, or the commit is missing, the
// test uses the core of this tree and logs the reason.
func TestCoreBefore(t *testing.T) {
	deepOnly(t, "it compiles two modules")
	root, err := filepath.Abs(filepath.Join(commandtest.Module, "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	work, err := os.ReadFile(filepath.Join(root, "go.work"))
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(root, "@v") {
		return // in the module cache, this module has no others beside it
	}
	if err != nil {
		t.Fatal(err)
	}
	core, why := checkOut(t, root, "HEAD^")
	if why != "" {
		t.Logf("not against the core of the commit before: %s", why)
		core = root
	}

	// The workspace that this test writes has the modules and replacements of the repository's
	// go.work, with other paths.
	text := fmt.Sprintf("go 1.25.0\nuse %q\nuse %q\nuse %q\n", core,
		filepath.Join(root, "cmd", "koblitz"), filepath.Join(root, "gpu"))
	replaced := regexp.MustCompile(`(?m)^\t(\S+ v\S+) => \./(.*)$`).
		FindAllStringSubmatch(string(work), -1)
	if len(replaced) < 2 {
		t.Fatalf("go.work replaces %d modules of this tree", len(replaced))
	}
	for _, r := range replaced {
		folder := core
		if r[2] != "" {
			folder = filepath.Join(root, r[2])
		}
		text += fmt.Sprintf("replace %s => %q\n", r[1], folder)
	}
	file := filepath.Join(t.TempDir(), "go.work")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{"cmd/koblitz", "gpu"} {
		build := exec.Command("go", "list", "-export", "-f", "", "-tags", "gpu", "./...")
		build.Dir = filepath.Join(root, module)
		build.Env = append(os.Environ(), "GOWORK="+file,
			"GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false")
		var said bytes.Buffer
		build.Stderr = &said // standard output lists package names
		if err := build.Run(); err != nil {
			t.Errorf("%s: %v\n%s", module, err, said.String())
		}
	}
}

// checkOut writes the files of a commit into a new folder. If the commit is missing, or the API of
// the core has changed since, it returns no folder but the reason.
func checkOut(t *testing.T, root, commit string) (folder, reason string) {
	temporary := t.TempDir()
	folder = filepath.Join(temporary, "core")
	git := func(environment string, args ...string) error {
		c := exec.Command("git", args...)
		c.Dir = root
		c.Env = append(os.Environ(), environment)
		return c.Run()
	}
	if git("", "rev-parse", "--verify", "--quiet", commit+"^{tree}") != nil {
		return "", "there is no repository with " + commit
	}
	if git("", "diff", "--quiet", commit, "--", "api/*.txt") != nil {
		return "", "api/*.txt have changed since " + commit
	}
	index := "GIT_INDEX_FILE=" + filepath.Join(temporary, "index")
	if git(index, "read-tree", commit) != nil ||
		git(index, "checkout-index", "--all", "--prefix="+folder+"/") != nil {
		t.Fatal("git does not check out " + commit)
	}
	return folder, ""
}

// withGPU reports whether this build supports devices: another one says why it has none.
var withGPU = devices.None == "none"

// TestLinkedLicence checks that the program links nothing of go-ethereum: its library is under the
// LGPL, and the program under the BSD licence.
func TestLinkedLicence(t *testing.T) {
	if _, err := os.Stat(filepath.Join(commandtest.Module, "..", "..", "go.work")); errors.Is(err,
		fs.ErrNotExist) {
		return // in the module cache, where this module has no others beside it
	}
	tags := ""
	if withGPU {
		tags = "gpu"
	}
	out, err := exec.Command("go", "list", "-deps", "-tags", tags,
		"github.com/koblitz-go/koblitz/cmd/koblitz").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("koblitz/ethereum/wire\n")) {
		t.Errorf("the list of packages lacks those of the program:\n%s", out)
	}
	for name := range strings.Lines(string(out)) {
		if strings.HasPrefix(name, "github.com/ethereum/") {
			t.Errorf("the program links %s", name)
		}
	}
}
