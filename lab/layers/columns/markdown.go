package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// These expressions match the beginnings of fences, of lines that are not wrapped, of list items
// and of quotations.
var (
	fence     = regexp.MustCompile("^ *(```|~~~)")
	unwrapped = regexp.MustCompile(`^ *(#{1,6} |\||<|\[[^]]+\]:|(([-*_]) *){3,}$)`)
	item      = regexp.MustCompile(`^ *([-*+]|\d{1,9}[.)]) +`)
	quote     = regexp.MustCompile(`^ *> ?`)
)

// markdown returns a Markdown text in which each paragraph, list item and quotation with a line
// longer than columns is wrapped. It does not change headings, tables, code, HTML and link targets,
// nor a paragraph with a hard line break.
func markdown(text string, columns int) string {
	var out []string
	var p paragraph
	end := func() {
		out = append(out, p.fill(columns)...)
		p = paragraph{}
	}
	inFence, list := false, 0 // list is the column at which the last list item's text begins
	for _, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		mark, quoted := item.FindString(line), quote.FindString(line)
		switch {
		case fence.MatchString(line) || inFence:
			end()
			if fence.MatchString(line) {
				inFence = !inFence
			}
			out = append(out, line)
		case strings.TrimSpace(line) == "" || unwrapped.MatchString(line):
			end()
			out = append(out, line)
		case p.lines == nil && (indent >= list+4 || line[0] == '\t'): // indented code
			out = append(out, line)
		case mark != "" && indent < list+4 &&
			(p.lines == nil || list > 0 || !strings.ContainsAny(mark, ".)")): // ends a paragraph
			end()
			list = len(mark)
			p = paragraph{first: mark, rest: strings.Repeat(" ", list), lines: []string{line}}
		case quoted != "" && p.first != quoted:
			end()
			p = paragraph{first: quoted, rest: quoted, lines: []string{line}}
		case p.lines == nil:
			if indent < list {
				list = 0
			}
			p = paragraph{first: line[:indent], rest: line[:indent], lines: []string{line}}
		default:
			p.lines = append(p.lines, line)
		}
	}
	end()
	return strings.Join(out, "\n")
}

// A paragraph is a group of lines that are wrapped together.
type paragraph struct {
	first, rest string // prefixes of the first and of the other wrapped lines
	lines       []string
}

// fill returns the lines of the paragraph. If one is too long, it wraps them all.
func (p *paragraph) fill(columns int) (filled []string) {
	long, text := false, ""
	for i, line := range p.lines {
		long = long || utf8.RuneCountInString(line) > columns
		if i < len(p.lines)-1 && (strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`)) {
			return p.lines // a hard line break
		}
		if quote.MatchString(p.rest) {
			line = strings.TrimPrefix(line, p.rest)
		} else if i == 0 {
			line = strings.TrimPrefix(line, p.first)
		}
		text += " " + line
	}
	if !long {
		return p.lines
	}
	line, empty := p.first, true
	for _, w := range words(text) {
		switch {
		case empty:
			line += w
		case utf8.RuneCountInString(line+" "+w) > columns:
			filled = append(filled, line)
			line = p.rest + w
		default:
			line += " " + w
		}
		empty = false
	}
	return append(filled, line)
}

// other matches words that would have a different meaning in Markdown if a line began with them.
var other = regexp.MustCompile("^([-*+=_]+|\\d+[.)]|#{1,6}|[>|<~].*|```.*|\\[[^]]*\\]:.*)$")

// words splits a text into words between which a line may be broken. A code span counts as one
// word. A word that must not begin a line is joined to the word before it.
func words(text string) (all []string) {
	inCode := false
	for _, w := range strings.Fields(text) {
		if len(all) > 0 && (inCode || other.MatchString(w)) {
			all[len(all)-1] += " " + w
		} else {
			all = append(all, w)
		}
		if strings.Count(w, "`")%2 == 1 {
			inCode = !inCode
		}
	}
	return all
}

// contents returns the words of a Markdown text without the marks of quotations. Wrapping must not
// change these words.
func contents(text string) []string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimPrefix(line, quote.FindString(line)))
	}
	return strings.Fields(b.String())
}
