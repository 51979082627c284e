package command

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// outputs matches what writes to the outputs of the process. Only cli.Main may name them: it passes
// them to cli.Run, which makes all text printable.
var outputs = regexp.MustCompile(`\bos\.(Stdout|Stderr|NewFile)\b|\bfmt\.Print|` +
	`\bsyscall\.Write\b|(?m:^\s*println?\()|"log(/slog)?"`)

// unbounded matches calls whose memory grows with the input.
var unbounded = regexp.MustCompile(`\b(io\.ReadAll|os\.ReadFile|json\.NewDecoder|` +
	`bufio\.NewScanner|io\.Copy)\(|\.(ReadString|ReadBytes|ReadLine|ReadFrom)\(`)

// bounded removes such calls that read a bounded number of bytes, or keep none.
var bounded = strings.NewReplacer("io.ReadAll(io.LimitReader(", "", "io.Copy(io.Discard,", "",
	"json.NewDecoder(bytes.NewReader(", "")

// TestSource checks that no file of the module has more than 600 lines, that only cli.Main uses the
// outputs of the process, and that the packages that read inputs of check do so in bounded memory.
func TestSource(t *testing.T) {
	readers := regexp.MustCompile(`^(bitcoin|ethereum|node|nostr|packed|reading)$`)
	files := 0
	err := filepath.WalkDir(commandtest.Module, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		text, dir := string(data), filepath.Base(filepath.Dir(path))
		if n := strings.Count(text, "\n"); n > 600 {
			t.Errorf("%s has %d lines", path, n)
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(dir, "test") || dir == "generate" ||
			strings.Contains(path, "release") {
			return err
		}
		if found := outputs.FindString(text); found != "" && filepath.Base(path) != "cli.go" {
			t.Errorf("%s: %s", path, found)
		}
		for _, call := range unbounded.FindAllString(bounded.Replace(text), -1) {
			// The client of a node reads from a reader that limits each answer.
			if readers.MatchString(dir) && filepath.Base(path) != "client.go" {
				t.Errorf("%s: %s", path, call)
			}
		}
		return err
	})
	if err != nil || files < 90 {
		t.Errorf("%d files, %v", files, err)
	}
}
