package pages

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// target matches the target of a link.
var target = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// prose returns the lines of a page outside of its fenced blocks.
func prose(page string) (lines []string) {
	inside := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			inside = !inside
		} else if !inside {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// anchors returns the anchors that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	all := make(map[string]bool)
	for _, line := range prose(page) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			all[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(heading))] = true
		}
	}
	return all
}

// TestAnchors checks that anchors returns the right anchors for headings with code, punctuation and
// other letters, and none for a comment in a code block.
func TestAnchors(t *testing.T) {
	page := "# One\n```sh\n# two\n```\n## Blocks of a node: `--node URL`\n### n = 64, µs\n"
	all := anchors(page)
	for _, want := range []string{"one", "blocks-of-a-node---node-url", "n--64-µs"} {
		if !all[want] {
			t.Errorf("no anchor %s: %v", want, all)
		}
	}
	if all["two"] {
		t.Error("a comment in a block is a heading")
	}
}

// TestLinks checks that every link of a page to a file or folder of the tree, or to a heading, has
// a target. In the module cache, targets in other modules of the repository are missing.
func TestLinks(t *testing.T) {
	_, err := os.Stat(filepath.Join(root, "cmd", "koblitz", "go.mod"))
	cached := os.IsNotExist(err)
	followed := 0
	for _, page := range pages(t) {
		for _, m := range target.FindAllStringSubmatch(strings.Join(prose(read(t, page)), "\n"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(m[1], "#")
			name := page
			if file != "" {
				name = path.Join(path.Dir(page), file)
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
				if cached && os.IsNotExist(err) {
					continue
				}
				t.Errorf("%s: the link %s leads nowhere", page, m[1])
			} else if anchor != "" && !anchors(read(t, name))[anchor] {
				t.Errorf("%s: %s has no heading for the link %s", page, name, m[1])
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links", followed)
	}
}

// TestPages checks the form of the pages in docs. Each page must begin with its readers ("For users
// who …"). A page may have at most 3,000 words, except docs/check.md, which contains the command's
// help topics. README.md may have at most 150 lines.
func TestPages(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 150 {
		t.Errorf("README.md has %d lines", n)
	}
	for _, page := range pages(t) {
		if path.Dir(page) != "docs" && path.Dir(page) != "docs/lab" {
			continue
		}
		text := read(t, page)
		if _, rest, _ := strings.Cut(text, "\n\n"); !strings.HasPrefix(rest, "For ") {
			t.Errorf("%s does not begin with its readers: %.40q", page, rest)
		}
		limit := 3000
		if page == "docs/check.md" {
			limit = 3500
		}
		if n := len(strings.Fields(text)); n > limit {
			t.Errorf("%s has %d words", page, n)
		}
	}
}
