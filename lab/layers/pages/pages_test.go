// Package pages is only a test. It checks three promises about README.md and the other pages in
// Markdown: CI runs each command, or the page says what the command needs; CI compiles each block
// of Go; and no page says of an exported name that it is missing.
//
// A block of commands begins with "```sh". The line above the block may be an HTML comment, which
// readers of the rendered page do not see. It may say
//
//	<!-- in: a program -->           where the block runs; the default is the checkout's root
//	<!-- needs: valgrind, qemu -->   what the block needs and CI's step docs lacks
//	<!-- minutes: 20 -->             that the block takes too long for that step
//
// with semicolons between several of these. TestCommands runs every block without needs and
// minutes. It is built with the tag docs, because it runs programs and downloads other modules.
package pages

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// root is the folder of the core's module. In the module cache, this folder lacks the repository's
// other modules.
var root = filepath.Join("..", "..", "..")

// places are the folders, besides the root of a checkout, in which a block may run. Both are beside
// the checkout. "a program" is a module that uses btcec and dcrec, and all blocks of a page share
// it. "a new folder" contains only a main.go: the last complete program above the block or, without
// one, the program that uses btcec and dcrec.
var places = []string{"a program", "a new folder"}

// needs are the requirements that a block may state. CI fulfils only the first one, when it
// rehearses a release.
var needs = []string{
	"a published version",
	"files",    // blocks, events or tables
	"a server", // a node
	"a GPU",
	"github.com",
	"pypi.org",
	"valgrind",
	"qemu",
	"LLVM",
	"Node.js",
	"Spark",
}

// pages returns the names of all pages below root. It leaves out CHANGELOG.md, which describes
// earlier versions.
func pages(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if filepath.Ext(name) == ".md" && d.Name() != "CHANGELOG.md" {
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names, "README.md") || len(names) < 20 {
		t.Fatalf("only %d pages", len(names))
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text := reference.Must(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A block is a fenced block of a page.
type block struct {
	line  int    // line of the opening fence
	info  string // text after the opening fence: the language
	says  map[string]string
	above string // paragraph above the block, without the block's comment
	text  string
}

var (
	comment  = regexp.MustCompile(`^<!-- ([^>]*) -->$`)
	indented = regexp.MustCompile(`^(    |\t)`)
	span     = regexp.MustCompile("`([^`]+)`")
)

// parse returns the fenced blocks of a page, the lines of indented code outside of blocks, and the
// code spans in its text.
func parse(page string) (blocks []block, loose, spans []string, err error) {
	lines := strings.Split(page, "\n")
	var text strings.Builder // the page without its blocks
	var above, paragraph []string
	for i := 0; i < len(lines); i++ {
		fence := strings.TrimLeft(lines[i], " ")
		if !strings.HasPrefix(fence, "```") {
			text.WriteString(lines[i] + " ")
			switch {
			case lines[i] == "":
				text.WriteString("\n")
				if len(paragraph) > 0 {
					above, paragraph = paragraph, nil
				}
			case indented.MatchString(lines[i]) && len(paragraph) == 0:
				loose = append(loose, lines[i])
			case !comment.MatchString(lines[i]):
				paragraph = append(paragraph, lines[i])
			}
			continue
		}
		if len(paragraph) > 0 {
			above, paragraph = paragraph, nil
		}
		b := block{line: i + 1, info: fence[3:], above: strings.Join(above, " ")}
		if i > 0 {
			if m := comment.FindStringSubmatch(lines[i-1]); m != nil {
				b.says = map[string]string{}
				for _, part := range strings.Split(m[1], "; ") {
					key, value, _ := strings.Cut(part, ": ")
					b.says[key] = value
				}
			}
		}
		for i++; ; i++ {
			if i == len(lines) {
				return nil, nil, nil, fmt.Errorf("the block of line %d does not end", b.line)
			}
			if strings.TrimLeft(lines[i], " ") == "```" {
				break
			}
			b.text += lines[i] + "\n"
		}
		blocks = append(blocks, b)
	}
	for _, m := range span.FindAllStringSubmatch(text.String(), -1) {
		spans = append(spans, m[1])
	}
	return blocks, loose, spans, nil
}

const ours = "github.com/koblitz-go/koblitz"

var (
	// command matches lines that look like shell commands.
	command = regexp.MustCompile(`^\s*(\$ )?([A-Z_]+=\S* )*` +
		`(go|make|cd|bash|git|docker|curl|spark-submit|bitcoin-cli|(\./)?koblitz[a-z-]*) `)
	// byVersion matches commands that download a published version of koblitz.
	byVersion = regexp.MustCompile(`\bgo (get|install|run) [^\n]*` + ours + `|=` + ours + `\S*@v`)
	// elsewhere matches commands that run the go command in a module outside of the workspace.
	elsewhere = regexp.MustCompile(`\b(go -C|cd) (gpu|lab/[a-z]+|_asm|compat)\b(.*\bgo )?`)
)

// wantsOff reports whether a line of commands needs GOWORK=off to succeed, and lacks it.
func wantsOff(line string) bool {
	m := elsewhere.FindStringSubmatch(line)
	return m != nil && (m[1] == "go -C" || m[3] != "") && !strings.Contains(line, "GOWORK=off")
}

// TestBlocks checks that no block has a fault, such as an invalid comment above it, and that no
// command is outside of a block.
func TestBlocks(t *testing.T) {
	commands, used := 0, map[string]bool{}
	for _, page := range pages(t) {
		blocks, loose, _, err := parse(read(t, page))
		if err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for _, line := range loose {
			if command.MatchString(line) {
				t.Errorf("%s: a command outside of a block: %s", page, line)
			}
		}
		for _, b := range blocks {
			if b.info == "sh" {
				commands++
			}
			used[b.says["in"]] = true
			for _, need := range b.needs() {
				used[need] = true
			}
			for _, fault := range b.faults() {
				t.Errorf("%s:%d: %s", page, b.line, fault)
			}
		}
	}
	if commands < 20 {
		t.Errorf("only %d blocks of commands", commands)
	}
	for _, word := range slices.Concat(places, needs) {
		if !used[word] {
			t.Errorf("no block says %q", word)
		}
	}
}

// needs returns the requirements that the comment above block b states.
func (b *block) needs() []string {
	if b.says["needs"] == "" {
		return nil
	}
	return strings.Split(b.says["needs"], ", ")
}

// faults returns what is wrong with block b and the comment above it.
func (b *block) faults() (all []string) {
	fault := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch b.info {
	case "sh":
	case "go", "python", "sql", "":
		for line := range strings.Lines(b.text) {
			if b.info == "" && command.MatchString(strings.TrimSuffix(line, "\n")) {
				fault("a command in a block that is not sh: %s", line)
			}
		}
		return all
	default:
		fault("blocks are sh, go, python, sql or nothing, not %q", b.info)
		return all
	}
	for key, value := range b.says {
		switch key {
		case "in":
			if !slices.Contains(places, value) {
				fault("a place %q", value)
			}
		case "needs":
			for _, need := range b.needs() {
				if !slices.Contains(needs, need) {
					fault("a need %q", need)
				}
			}
		case "minutes":
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				fault("%q minutes", value)
			}
		default:
			fault("a comment %q", key)
		}
	}

	// A block needs no published version if it replaces the module by the checkout.
	published := slices.Contains(b.needs(), "a published version")
	local := strings.Contains(b.text, "-replace "+ours+"=../koblitz")
	if byVersion.MatchString(b.text) && !local && !published {
		fault("it needs a published version, and does not say so")
	}
	if published && !strings.Contains(b.above, "published") {
		fault("the paragraph above does not say that nothing is published yet")
	}
	return all
}

// TestNames checks that pages name only targets of make, and parts and steps of CI, that exist.
func TestNames(t *testing.T) {
	makefile, lib := read(t, "Makefile"), read(t, ".ci/lib")
	run, acceptance := lib+read(t, ".ci/run"), lib+read(t, ".ci/acceptance")
	word := regexp.MustCompile(`\bmake ([a-z-]+)|\bPARTS='?([a-z ]+)|\.ci/(run|acceptance) ([a-z ]+)`)
	found := 0
	for _, page := range pages(t) {
		blocks, _, code, err := parse(read(t, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if b.info == "sh" {
				code = append(code, strings.Split(b.text, "\n")...)
			}
		}
		for _, line := range code {
			line, _, _ = strings.Cut(line, " #")
			if wantsOff(line) {
				t.Errorf("%s: another module wants GOWORK=off: %s", page, line)
			}
			for _, m := range word.FindAllStringSubmatch(line, -1) {
				found++
				if m[1] != "" && !strings.Contains(makefile, "\n"+m[1]+":") {
					t.Errorf("%s: the Makefile has no %s", page, m[1])
				}
				script := acceptance
				if m[3] == "run" {
					script = run
				}
				for _, name := range strings.Fields(m[2] + m[4]) {
					if !strings.Contains(script, "\n"+name+"() {") {
						t.Errorf("%s: there is no step or part %s: %s", page, name, line)
					}
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d commands", found)
	}
}

// TestFaults checks that faults reports each kind of fault of a block, that wantsOff recognizes
// lines that need GOWORK=off, and that parse finds indented code and code spans.
func TestFaults(t *testing.T) {
	for want, page := range map[string]string{
		"":                             "<!-- in: a program; minutes: 3 -->\n```sh\ngo test .\n```\n",
		"a place":                      "<!-- in: a house -->\n```sh\ngo test .\n```\n",
		"a need":                       "<!-- needs: luck -->\n```sh\ngo test .\n```\n",
		"\"0\" minutes":                "<!-- minutes: 0 -->\n```sh\ngo test .\n```\n",
		"a comment":                    "<!-- skip -->\n```sh\ngo test .\n```\n",
		"blocks are":                   "```bash\ngo test .\n```\n",
		"a command in a block":         "```\nmake bench\n```\n",
		"it needs a published version": "```sh\ngo get " + ours + "\n```\n",
		"the paragraph above":          "Get:\n\n<!-- needs: a published version -->\n```sh\ngo\n```\n",
	} {
		blocks, _, _, err := parse(page)
		if err != nil || len(blocks) != 1 {
			t.Fatal(err, len(blocks))
		}
		found := blocks[0].faults()
		if want == "" && len(found) == 0 {
			continue
		}
		if len(found) != 1 || want == "" || !strings.HasPrefix(found[0], want) {
			t.Errorf("%q: %q, want %q", page, found, want)
		}
	}
	for line, want := range map[string]bool{
		"cd gpu && go test ./...":                true,
		"cd lab/peers && CGO_ENABLED=0 go vet .": true,
		"go -C lab/bench run .":                  true,
		"cd gpu && GOWORK=off go test ./...":     false,
		"cd cmd/koblitz && go test .":            false,
	} {
		if wantsOff(line) != want {
			t.Errorf("%q wants GOWORK=off: %t", line, !want)
		}
	}
	_, loose, spans, _ := parse("text\nof `two\nlines`\n\n    make bench\n")
	if len(loose) != 1 || !command.MatchString(loose[0]) || len(spans) != 1 ||
		spans[0] != "two lines" {
		t.Errorf("%q, %q", loose, spans)
	}
	if _, _, _, err := parse("```sh\n"); err == nil {
		t.Error("a block that does not end is no error")
	}
}
