package durable_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
)

// TestWriteFile loses power at each operation of replacing a file in turn. It checks that the file
// then has its former or its new content, and that it has the new content once WriteFile has
// returned.
func TestWriteFile(t *testing.T) {
	const name = "folder/file"
	former, data := []byte("former"), []byte("and what it is now")
	chance := rand.New(rand.NewPCG(1, 2))
	begin := func(n int) *forgetful.FS {
		f := forgetful.New(-1)
		if err := durable.WriteFile(f, name, former); err != nil {
			t.Fatal(err)
		}
		return f.Restart(forgetful.Nothing, nil, n)
	}
	news := 0
	for n := 0; ; n++ {
		complete := false
		for try := range 40 {
			f := begin(n)
			err := durable.WriteFile(f, name, data)
			complete = err == nil
			if err != nil && !errors.Is(err, forgetful.ErrPower) {
				t.Fatal(err)
			}
			after := f.Restart(min(forgetful.Memory(try+1), forgetful.Some), chance, -1)
			got, rerr := after.ReadFile(name)
			isNew := bytes.Equal(got, data)
			if rerr != nil || !isNew && !bytes.Equal(got, former) || complete && !isNew {
				t.Fatalf("power lost in operation %d: %q, %v", n, got, rerr)
			}
			if isNew && !complete {
				news++
			}
		}
		if complete {
			break
		}
	}
	if news == 0 {
		t.Error("the new content was never there before WriteFile returned")
	}
}

// TestForgetful checks that the forgetful file system exposes incomplete implementations of
// WriteFile: without a Sync of the file, and without one of its folder.
func TestForgetful(t *testing.T) {
	const name = "folder/file"
	for _, syncs := range []string{"file", "folder"} {
		f := forgetful.New(-1)
		g, err := f.Create(name + ".new")
		if err != nil {
			t.Fatal(err)
		}
		_, err = g.Write([]byte("data"))
		if syncs == "file" {
			err = errors.Join(err, g.Sync())
		}
		err = errors.Join(err, f.Rename(name+".new", name))
		if syncs == "folder" {
			err = errors.Join(err, f.SyncDir("folder"))
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Restart(forgetful.Nothing, nil, -1).ReadFile(name)
		if err == nil && string(got) == "data" {
			t.Errorf("with a Sync of the %s alone nothing was forgotten", syncs)
		}
		if got, err := f.Restart(forgetful.All, nil, -1).ReadFile(name); err != nil ||
			string(got) != "data" {
			t.Errorf("%q, %v although everything is kept", got, err)
		}
	}
}

// TestOS checks that the operating system's files and a forgetful file system give the same results
// for the same operations.
func TestOS(t *testing.T) {
	for name, f := range map[string]durable.FS{
		"system": durable.OS{}, "forgetful": forgetful.New(-1),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		if _, err := f.Open(path); !durable.Missing(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Remove(path); !durable.Missing(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := durable.WriteFile(f, path, []byte("one")); err != nil {
			t.Fatal(name, err)
		}
		g, err := f.Open(path)
		if err != nil {
			t.Fatal(name, err)
		}
		write := func(s string) error {
			_, err := g.Write([]byte(s))
			return err
		}
		err = errors.Join(write(" two"), write(" three"), g.Truncate(7), write(" four"), g.Sync())
		size, serr := g.Size()
		got := make([]byte, size)
		_, rerr := g.ReadAt(got, 0)
		if err := errors.Join(err, serr, rerr, g.Close()); err != nil || string(got) != "one two four" {
			t.Fatalf("%s: %q, %v", name, got, err)
		}
		if _, err := f.Create(path); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: a file that is there was made anew: %v", name, err)
		}
		var files [2]durable.File
		for i := range files {
			if files[i], err = f.Open(path); err != nil {
				t.Fatal(name, err)
			}
		}
		if ok, err := files[0].Lock(); !ok || err != nil {
			t.Fatal(name, err)
		}
		if ok, err := files[1].Lock(); ok || err != nil {
			t.Errorf("%s: locked twice, %v", name, err)
		}
		files[0].Close()
		if ok, err := files[1].Lock(); !ok || err != nil {
			t.Error(name, err)
		}
		files[1].Close()
		if err := errors.Join(f.Remove(path), f.SyncDir(dir)); err != nil {
			t.Error(name, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none", "f")
	if err := durable.WriteFile(durable.OS{}, none, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestWriteFileOver checks that no temporary file is left if the final rename fails.
func TestWriteFileOver(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "name", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(durable.OS{}, filepath.Join(dir, "name"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
