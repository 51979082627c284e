package pages

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// provided is what the public packages provide. The keys of names are exported names with their
// package, such as "ecdsa.Signature.DER". Topics are words of the sentences that introduce
// packages, such as "BIP-327", "MuSig2" and "silent payments", and names of packages as code.
type provided struct {
	names  map[string]bool
	topics []string
}

var (
	clause   = regexp.MustCompile(`^package (\w+) // import "` + ours + `/?([^"]*)"`)
	function = regexp.MustCompile(`^\t?func (?:\((?:\w+ )?\*?(\w+)\) )?([A-Z]\w*)\(`)
	value    = regexp.MustCompile(`^\t*(?:(?:const|var|type) )?([A-Z]\w*)\b`)
	topic    = regexp.MustCompile(`\bBIP-\d+|\b[A-Z][a-z]+[A-Z]\w*|\b[a-z]+ [a-z]+ \(BIP-\d+\)`)
)

// readAPI returns what the files in the folder api list.
func readAPI(t *testing.T) *provided {
	t.Helper()
	files := reference.Must(filepath.Glob(filepath.Join(root, "api", "*.txt")))
	p := &provided{names: map[string]bool{}}
	for _, file := range files {
		lines := strings.Split(read(t, "api/"+filepath.Base(file)), "\n")
		head := clause.FindStringSubmatch(lines[0])
		if head == nil {
			t.Fatalf("%s: %s", file, lines[0])
		}
		of := "" // the struct whose fields follow
		for _, line := range lines[1:] {
			if m := function.FindStringSubmatch(line); m != nil {
				p.names[strings.ReplaceAll(head[1]+"."+m[1]+"."+m[2], "..", ".")] = true
			} else if m := value.FindStringSubmatch(line); m != nil {
				p.names[head[1]+"."+of+m[1]] = true
				if strings.HasPrefix(line, "type ") && strings.HasSuffix(line, "{") {
					of = m[1] + "."
				}
			} else if line == "}" {
				of = ""
			}
		}
		p.topics = append(p.topics, "`"+head[1]+"`", "`koblitz/"+head[2]+"`")
		p.topics = append(p.topics, topics(t, head[1], head[2])...)
	}
	return p
}

// topics returns the topics in the sentence that introduces the package in a folder. In the module
// cache, the folders of other modules are missing.
func topics(t *testing.T, name, folder string) (all []string) {
	intro := regexp.MustCompile(`(?m)^// Package ` + name + ` (.*(?:\n// .+)*)`)
	files := reference.Must(filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go")))
	for _, file := range files {
		if m := intro.FindStringSubmatch(read(t, path.Join(folder, filepath.Base(file)))); m != nil {
			first, _, _ := strings.Cut(strings.ReplaceAll(m[1], "\n// ", " "), ". ")
			for _, found := range topic.FindAllString(first, -1) {
				found, _, _ = strings.Cut(found, " (")
				all = append(all, found)
			}
		}
	}
	return all
}

// denials match what says that something is missing. The group is the text that names it.
var denials = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:there|here|koblitz|library|module|package)\b[^,;:]{0,20}?` +
		`\b(?:(?:is|are|has|have) no|lacks|do(?:es)? not (?:yet )?(?:have|implement|support|offer))` +
		`\b([^;]*)`),
	regexp.MustCompile(`(?i)\bmissing here\b([^;]*)`),
	regexp.MustCompile(`(?i)\bno ([^,;:]*) yet\b`),
	regexp.MustCompile(`(?i)([^,;:]*)\b(?:is|are) (?:missing|not (?:yet )?(?:implemented|supported|` +
		`available))\b`),
}

// denied returns the names and topics that a sentence denies, although they exist.
func (p *provided) denied(sentence string) (all []string) {
	for _, denial := range denials {
		m := denial.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		for _, name := range span.FindAllStringSubmatch(m[1], -1) {
			if p.names[name[1]] {
				all = append(all, name[1])
			}
		}
		for _, topic := range p.topics {
			if strings.Contains(strings.ToLower(m[1]), strings.ToLower(topic)) {
				all = append(all, topic)
			}
		}
	}
	return all
}

// deniedRow returns the names that a row of a table denies, although they exist. heading is the
// heading above the table. If the second cell says that the names in the first one have no
// equivalent, they must not be names of ours: in a table of a package schnorr "Sign" is
// "schnorr.Sign", and in each table "EllswiftCreate" is "ellswift.Create".
func (p *provided) deniedRow(heading, row string) (all []string) {
	cells := strings.Split(row, "|")
	if len(cells) < 4 || !strings.HasPrefix(strings.TrimSpace(cells[2]), "none") {
		return nil
	}
	for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
		for name := range p.names {
			pkg, rest, _ := strings.Cut(name, ".")
			if strings.EqualFold(m[1], pkg+rest) || m[1] == name ||
				m[1] == rest && strings.Contains(heading, "/"+pkg+"`") {
				all = append(all, name)
			}
		}
	}
	return all
}

// deniedOn returns what the sentences and rows of a page deny, although it exists.
func (p *provided) deniedOn(page string) (all []string) {
	heading, paragraph := "", ""
	end := func() {
		for _, sentence := range regexp.MustCompile(`[.!?][*)]* `).Split(paragraph, -1) {
			all = append(all, p.denied(sentence)...)
		}
		paragraph = ""
	}
	for _, line := range append(prose(page), "") {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "#"):
			end()
			heading = text
		case strings.HasPrefix(text, "|"):
			end()
			all = append(all, p.deniedRow(heading, text)...)
		case text == "", strings.HasPrefix(text, "- "):
			end()
			paragraph = text
		default:
			paragraph += " " + text
		}
	}
	return all
}

// TestDenied checks that no page says of a name in api/*.txt, or of the topic of a package, that it
// is missing.
func TestDenied(t *testing.T) {
	p := readAPI(t)
	for _, page := range pages(t) {
		for _, name := range p.deniedOn(read(t, page)) {
			t.Errorf("%s says that %s is missing", page, name)
		}
	}
}

// TestDeniedPlanted checks that deniedOn finds false sentences and rows, and accepts true ones.
func TestDeniedPlanted(t *testing.T) {
	p := readAPI(t)
	for _, want := range []string{"schnorr.Sign", "ecdsa.Signature.DER", "batch.Options.Workers",
		"batch.LowS", "ecdsa.SignOptions.Unchecked", "koblitz.ErrZeroKey", "ethereum.Compact"} {
		if !p.names[want] {
			t.Errorf("%s is not in api", want)
		}
	}
	for _, want := range strings.Split("BIP-340,BIP-327,MuSig2,ElligatorSwift,silent payments", ",") {
		if !slices.Contains(p.topics, want) {
			t.Errorf("%s is no topic: %q", want, p.topics)
		}
	}
	const table = "### `example.com/schnorr`\n\n| there | here |\n|---|---|\n"
	for page, want := range map[string]string{
		"`schnorr.Sign` is missing.":                                 "schnorr.Sign",
		"It signs. There\nis no `ecdsa.Signature.DER`.":              "ecdsa.Signature.DER",
		"koblitz has no ElligatorSwift yet.":                         "ElligatorSwift",
		"**Missing here:** hybrid keys and\nsilent payments. Use C.": "silent payments",
		"- koblitz does not implement BIP-327":                       "BIP-327",
		"Hybrid keys, `ecdh.SharedX` and MuSig2 are not supported.":  "ecdh.SharedX MuSig2",
		"The package `koblitz/musig2` is not available.":             "`koblitz/musig2`",
		table + "| `Sign` | none |\n":                                "schnorr.Sign",
		table + "| `EllswiftCreate` | none: C |\n":                   "ellswift.Create",
		"`schnorr.Sign` signs. Hybrid keys are missing.":             "",
		"`schnorr.Gone` is missing.":                                 "",
		"dcrec has no BIP-340.":                                      "",
		table + "| `NewSignature` | none |\n":                        "",
		table + "| `Sign` | `schnorr.Sign` |\n":                      "",
	} {
		if found := strings.Join(p.deniedOn(page), " "); !strings.HasPrefix(found, want) ||
			want == "" && found != "" {
			t.Errorf("%q: %q, want %q", page, found, want)
		}
	}
}
