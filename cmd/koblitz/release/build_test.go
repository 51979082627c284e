package main

import (
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestEnvironment checks that no variable of Go, in the environment or in the file of go env,
// changes what is built. The variables that name the proxy and the caches keep their values.
func TestEnvironment(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "env")
	must(0, os.WriteFile(saved, []byte("GOARM64=v9.0\nGOPRIVATE=example.org/saved\n"), 0o600))
	t.Setenv("GOENV", saved)
	for name, value := range map[string]string{"GOEXPERIMENT": "jsonv2", "GOFIPS140": "latest",
		"GOAMD64": "v3", "GOFLAGS": "-tags=purego", "CGO_ENABLED": "1", "CGO_CFLAGS": "-O1",
		"GOWORK": filepath.Join(saved, "go.work"), "GODEBUG": "http2client=0",
		"GOPRIVATE": "", "GONOSUMDB": "example.org/none"} {
		t.Setenv(name, value)
	}
	cmd := exec.Command("go", "env", "GOEXPERIMENT", "GOFIPS140", "GOAMD64", "GOARM64", "GOFLAGS",
		"CGO_ENABLED", "CGO_CFLAGS", "GOWORK", "GODEBUG", "GOPRIVATE", "GONOSUMDB")
	cmd.Env = environment()
	want := "\noff\nv1\nv8.0\n\n0\n-O2 -g\noff\n\nexample.org/saved\nexample.org/none\n"
	if got := string(must(cmd.Output())); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSettings checks that a binary with a setting too many, too few or another one is refused.
func TestSettings(t *testing.T) {
	good := "-buildmode=exe -compiler=gc -trimpath=true DefaultGODEBUG=x=1 CGO_ENABLED=0 " +
		"GOARCH=amd64 GOOS=linux GOAMD64=v1"
	arm := strings.NewReplacer("=amd64", "=arm64", "GOAMD64=v1", "GOARM64=v8.0").Replace(good)
	for _, c := range []struct {
		settings, platform, tags string
		good                     bool
	}{
		{good, "linux/amd64", "", true},
		{arm, "linux/arm64", "", true},
		{good + " -tags=gpu,cubin", "linux/amd64", "gpu,cubin", true},
		{good, "linux/amd64", "gpu,cubin", false},
		{good, "linux/arm64", "", false},
		{good, "darwin/amd64", "", false},
		{good + " -tags=purego", "linux/amd64", "", false},
		{good + " GOEXPERIMENT=jsonv2", "linux/amd64", "", false},
		{good + " GOFIPS140=v1.0.0", "linux/amd64", "", false},
		{good + " -gcflags=all=-N", "linux/amd64", "", false},
		{strings.Replace(good, "CGO_ENABLED=0", "CGO_ENABLED=1", 1), "linux/amd64", "", false},
		{strings.Replace(good, "GOAMD64=v1", "GOAMD64=v3", 1), "linux/amd64", "", false},
		{strings.Replace(good, "-trimpath=true ", "", 1), "linux/amd64", "", false},
	} {
		info := new(buildinfo.BuildInfo)
		for s := range strings.FieldsSeq(c.settings) {
			key, value, _ := strings.Cut(s, "=")
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		if err := settings(info, c.platform, c.tags); (err == nil) != c.good {
			t.Errorf("%s for %s with %q: %v", c.settings, c.platform, c.tags, err)
		}
	}
}

// TestCommitted checks that a release is built from a commit with all tags and from nothing else.
func TestCommitted(t *testing.T) {
	if repository() == "" {
		return // nor is there git where an installation is tested
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", root, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c",
			"commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)
		if text, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, text)
		}
	}
	write := func(name string) {
		t.Helper()
		path := filepath.Join(root, name)
		must(0, os.MkdirAll(filepath.Dir(path), 0o755))
		must(0, os.WriteFile(path, []byte(name), 0o644))
	}
	tags := []string{"cmd/koblitz/v1.2.3", "v1.1.0"}
	want := func(part string) {
		t.Helper()
		err := committed(root, tags)
		if (err == nil) != (part == "") || err != nil && !strings.Contains(err.Error(), part) {
			t.Errorf("%v, want %q", err, part)
		}
	}
	want("git: ")
	git("init", "-q")
	write("a.go")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("tag", tags[0])
	want("the tag v1.1.0 names the commit \"\"")
	git("tag", "-a", "-m", "two", tags[1])
	write("gpu/kernels/cubin/sm_90.bin")
	want("")
	for _, name := range []string{"b.go", "gpu/b.go"} {
		write(name)
		want("not committed, or ignored:\n" + name)
		must(0, os.Remove(filepath.Join(root, name)))
	}
	write(".git/info/exclude")
	must(0, os.WriteFile(filepath.Join(root, ".git/info/exclude"), []byte("b.go\n"), 0o644))
	write("b.go")
	want("not committed, or ignored:\nb.go")
	must(0, os.Remove(filepath.Join(root, "b.go")))
	must(0, os.WriteFile(filepath.Join(root, "a.go"), []byte("changed"), 0o644))
	want("changes that are not committed:")
	git("update-index", "--assume-unchanged", "a.go")
	want("that git does not see: a.go")
	git("update-index", "--no-assume-unchanged", "a.go")
	git("config", "filter.other.smudge", "sed s/a/b/")
	git("config", "filter.other.clean", "sed s/b/a/")
	attributes := filepath.Join(root, ".git", "info", "attributes")
	must(0, os.WriteFile(attributes, []byte("a.go filter=other"), 0o644))
	must(0, os.Remove(filepath.Join(root, "a.go")))
	git("checkout", "a.go")
	want("that git does not see: a.go")
	must(0, errors.Join(os.Remove(attributes), os.WriteFile(filepath.Join(root, "a.go"), nil, 0o644)))
	git("commit", "-q", "-a", "-m", "two")
	want("the tag cmd/koblitz/v1.2.3 names the commit")
}

// TestVerify checks that a file that was changed in the folder of modules is seen, whether the
// command or koblitz-gpubench links the module.
func TestVerify(t *testing.T) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}\n{{.Version}}", "golang.org/x/sync")
	dir, version, _ := strings.Cut(strings.TrimSpace(string(must(list.Output()))), "\n")
	modules, work := t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", modules)
	t.Setenv("GOPROXY", "off")
	sync := filepath.Join("golang.org", "x", "sync")
	all := strings.TrimSuffix(dir, sync+"@"+version)
	for _, part := range []string{sync + "@" + version, filepath.Join("cache", "download", sync)} {
		must(0, os.CopyFS(filepath.Join(modules, part), os.DirFS(filepath.Join(all, part))))
	}
	mod := filepath.Join(work, "go.mod")
	must(0, os.WriteFile(mod, []byte("module m\nrequire golang.org/x/sync "+version+"\n"), 0o644))
	sum := must(os.ReadFile(filepath.Join("..", "go.sum")))
	must(0, os.WriteFile(filepath.Join(work, "go.sum"), sum, 0o644))
	r := release{module: work, mod: "-modfile=" + mod, env: environment()}
	if err := r.verify(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(modules, sync+"@"+version, "LICENSE")
	must(0, errors.Join(os.Remove(name), os.WriteFile(name, []byte("changed"), 0o644)))
	if err := r.verify(); err == nil || !strings.Contains(err.Error(), "sync "+version) {
		t.Error(err)
	}
	r = release{module: t.TempDir(), mod: "-modfile=", root: work, env: environment()}
	must(0, os.MkdirAll(r.bench(), 0o755))
	must(0, os.WriteFile(filepath.Join(r.module, "go.mod"), []byte("module other\n"), 0o644))
	for _, r.gpu = range []bool{false, true} {
		err := r.verify()
		if seen := err != nil && strings.Contains(err.Error(), "sync "+version); seen != r.gpu {
			t.Errorf("for GPUs %v: %v", r.gpu, err)
		}
	}
}

// TestTags checks that a release needs the tags of the modules that the command requires.
func TestTags(t *testing.T) {
	root := repository()
	if root == "" {
		return
	}
	r := release{version: "v1.2.3", root: root, module: filepath.Join(root, "cmd", "koblitz")}
	tags := " " + strings.Join(r.tags(), " ") + " "
	for _, want := range []string{" cmd/koblitz/v1.2.3 ", " v0.1.0 ", " bitcoin/v0.1.0 "} {
		if !strings.Contains(tags, want) {
			t.Errorf("no tag%sin%s", want, tags)
		}
	}
}
