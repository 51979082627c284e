package pages

import (
	"regexp"
	"strings"
	"testing"
)

// repeated is the number of consecutive words that no two pages may share.
const repeated = 20

// unlike matches the lines outside of fenced blocks that are not prose: headings, tables, comments.
var unlike = regexp.MustCompile(`^ *(#|\||<!--)`)

// words returns the words of a page's prose in lower case, without punctuation around them and
// without the targets of links.
func words(page string) (all []string) {
	for _, line := range prose(page) {
		if unlike.MatchString(line) {
			continue
		}
		for _, word := range strings.Fields(target.ReplaceAllString(line, "]")) {
			if word = strings.ToLower(strings.Trim(word, "-.,;:()[]*`\"")); word != "" {
				all = append(all, word)
			}
		}
	}
	return all
}

// repeats returns a description of each passage of at least 20 words that one of the texts shares
// with an earlier one. texts[i] is the text of the page names[i].
func repeats(names, texts []string) (found []string) {
	owner := make(map[string]int) // for each 20 consecutive words, the first page that contains them
	for page, text := range texts {
		all, before := words(text), false
		for i := repeated; i <= len(all); i++ {
			passage := strings.Join(all[i-repeated:i], " ")
			first, ok := owner[passage]
			if !ok {
				owner[passage] = page
			}
			shared := ok && first != page
			if shared && !before {
				found = append(found, names[page]+" repeats "+names[first]+": "+passage)
			}
			before = shared
		}
	}
	return found
}

// TestRepeats checks that no two pages share 20 consecutive words of prose. One of them should link
// to the other instead.
func TestRepeats(t *testing.T) {
	names := pages(t)
	var texts []string
	for _, name := range names {
		texts = append(texts, read(t, name))
	}
	for _, passage := range repeats(names, texts) {
		t.Error(passage)
	}
}

// TestPlantedRepeats checks that repeats finds a passage of 20 words in spite of other line breaks,
// punctuation and links. It must not find 19 words, or words in code, tables and headings.
func TestPlantedRepeats(t *testing.T) {
	text := strings.Repeat("ten words that stand in the same order on pages ", 2)
	for page, want := range map[string]int{
		"# Title\n\n" + text: 1,
		"- " + strings.ReplaceAll(text, "order ", "[order](x.md),\n"): 1,
		text + "and on\n\n" + text:                                    2,
		strings.TrimPrefix(text, "ten "):                              0,
		"```\n" + text + "\n```\n":                                    0,
		"| " + text + "|\n":                                           0,
		"## " + text + "\n":                                           0,
	} {
		found := repeats([]string{"a.md", "b.md"}, []string{"One.\n\n" + text, page})
		if len(found) != want {
			t.Errorf("%q: %q, want %d", page, found, want)
		}
	}
	if found := repeats([]string{"a.md"}, []string{text + text}); len(found) > 0 {
		t.Errorf("a page that repeats itself: %q", found)
	}
}
