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

// A link is a link of a page to a file or folder of the tree. Its anchor may be empty.
type link struct{ text, name, anchor string }

// links returns the links of a page.
func links(t *testing.T, page string) (all []link) {
	t.Helper()
	for _, m := range target.FindAllStringSubmatch(strings.Join(prose(read(t, page)), "\n"), -1) {
		if strings.Contains(m[1], "://") {
			continue
		}
		file, anchor, _ := strings.Cut(m[1], "#")
		name := page
		if file != "" {
			name = path.Join(path.Dir(page), file)
		}
		all = append(all, link{m[1], name, anchor})
	}
	return all
}

// TestLinks checks that every link of a page to a file or folder of the tree, or to a heading, has
// a target. In the module cache, targets in other modules of the repository are missing.
func TestLinks(t *testing.T) {
	_, err := os.Stat(filepath.Join(root, "cmd", "koblitz", "go.mod"))
	cached := os.IsNotExist(err)
	followed := 0
	for _, page := range pages(t) {
		for _, l := range links(t, page) {
			followed++
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(l.name))); err != nil {
				if cached && os.IsNotExist(err) {
					continue
				}
				t.Errorf("%s: the link %s leads nowhere", page, l.text)
			} else if l.anchor != "" && !anchors(read(t, l.name))[l.anchor] {
				t.Errorf("%s: %s has no heading for the link %s", page, l.name, l.text)
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links", followed)
	}
}

// TestTwoClicks checks that README.md leads with at most two links to every page of docs, except
// those for contributors in docs/lab, and to the page of the Python package.
func TestTwoClicks(t *testing.T) {
	reached := map[string]bool{}
	for _, first := range links(t, "README.md") {
		reached[first.name] = true
		if path.Ext(first.name) == ".md" {
			for _, second := range links(t, first.name) {
				reached[second.name] = true
			}
		}
	}
	for _, page := range pages(t) {
		user := strings.HasPrefix(page, "docs/") && path.Dir(page) != "docs/lab"
		if (user || page == "python/README.md") && !reached[page] {
			t.Errorf("README.md does not lead to %s with two links", page)
		}
	}
}

// wordLimits are the pages with limits of their own, in words. docs/check.md contains the command's
// help topics.
var wordLimits = map[string]int{
	"CHANGELOG.md":            1500, // while nothing is released
	"docs/check.md":           3500,
	"docs/guide/protocols.md": 1200,
	"docs/silent-payments.md": 1200,
}

// TestPages checks the form of README.md, CHANGELOG.md and the pages in docs. Each page in docs
// must begin with its readers ("For users who …"), and may have at most 3,000 words, except those
// in wordLimits. The pages about porting and the drop-in
// may have 5,000 together. README.md may have at most 120 lines.
func TestPages(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 120 {
		t.Errorf("README.md has %d lines", n)
	}
	words := func(page string) int { return len(strings.Fields(read(t, page))) }
	if n := words("docs/port.md") + words("docs/drop-in.md"); n > 5000 {
		t.Errorf("docs/port.md and docs/drop-in.md have %d words", n)
	}
	for page, limit := range wordLimits {
		if n := words(page); n > limit {
			t.Errorf("%s has %d words", page, n)
		}
	}
	for _, page := range pages(t) {
		if !strings.HasPrefix(page, "docs/") {
			continue
		}
		text := read(t, page)
		if _, rest, _ := strings.Cut(text, "\n\n"); !strings.HasPrefix(rest, "For ") {
			t.Errorf("%s does not begin with its readers: %.40q", page, rest)
		}
		_, own := wordLimits[page]
		if n := words(page); n > 3000 && !own {
			t.Errorf("%s has %d words", page, n)
		}
	}
}
