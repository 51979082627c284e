package report

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

var viewBox = regexp.MustCompile(`viewBox="0 0 ([0-9.]+) ([0-9.]+)"`)

// standalone returns the figure as an SVG file that can be used outside of the report, with the
// figure's title, its legend and a white background.
func (f *figure) standalone() (string, bool) {
	const line, column = 20, 200
	var width, height float64
	m := viewBox.FindStringSubmatch(string(f.SVG))
	if m == nil {
		return "", false
	}
	if _, err := fmt.Sscan(m[1]+" "+m[2], &width, &height); err != nil {
		return "", false
	}
	perRow := max(1, int(width)/column)
	rows := (len(f.Keys) + perRow - 1) / perRow
	total := height + float64(line*(rows+2))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" `+
		`width="%g" height="%g" color="#222" font-family="sans-serif" font-size="12">`+"\n",
		width, total, width, total)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	fmt.Fprintf(&b, `<text x="10" y="%d" font-size="14">%s</text>`+"\n",
		line, html.EscapeString(f.Title))
	nested := fmt.Sprintf(`<svg y="%d" width="%g" height="%g" `, line+5, width, height)
	b.WriteString(strings.Replace(string(f.SVG), "<svg ", nested, 1))
	for i, k := range f.Keys {
		x, y := 10+column*(i%perRow), height+float64(line*(2+i/perRow))
		fmt.Fprintf(&b, `<circle cx="%d" cy="%g" r="5" fill="%s"/><text x="%d" y="%g">%s</text>`+"\n",
			x+5, y-4, k.Color, x+16, y, html.EscapeString(k.Name))
	}
	b.WriteString("</svg>\n")
	return b.String(), true
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName returns the name of the figure's SVG file.
func (f *figure) fileName() string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(f.Title), "-"), "-") + ".svg"
}
