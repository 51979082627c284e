package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
)

//go:embed page.html
var page string

type group struct {
	Name       string
	Operations []operation
}

type operation struct {
	ID, Title string
	Rows      []row
}

type content struct {
	Notice  string // whether the machine was quiet
	Head    []string
	Short   []string // remarks on the machine that a reader must know
	Figures []figure
	Tables  []table
	Groups  []group
	Left    []harness.LeftOut
	Device  string // tables for the GPU, as plain text
}

// Write writes report.md, report.html, run.json and a file for each figure to folder dir.
func Write(dir string, r *harness.Run) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	c := contentOf(r)
	var html bytes.Buffer
	if err := template.Must(template.New("page").Parse(page)).Execute(&html, c); err != nil {
		return err
	}
	files := map[string][]byte{
		"run.json": raw, "report.html": html.Bytes(), "report.md": []byte(markdown(c)),
	}
	for _, f := range c.Figures {
		if alone, ok := f.standalone(); ok {
			files[f.fileName()] = []byte(alone)
		}
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func contentOf(r *harness.Run) content {
	c := content{Notice: r.Notice(), Head: head(r), Left: r.LeftOut, Device: deviceText(r)}
	for _, o := range r.Operations {
		if len(c.Groups) == 0 || c.Groups[len(c.Groups)-1].Name != o.Group {
			c.Groups = append(c.Groups, group{Name: o.Group})
		}
		g := &c.Groups[len(c.Groups)-1]
		g.Operations = append(g.Operations, operation{o.ID, marked(r, o.Title, o), rows(o)})
	}
	m := r.Machine
	c.Short = []string{
		m.CPU, fmt.Sprintf("koblitz as %s", m.Koblitz),
		m.Began.Format("2 January 2006"), fmt.Sprintf("%d operations", len(r.Operations)),
	}
	c.Tables, c.Figures = tables(r), figuresOf(r)
	return c
}

func markdown(c content) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# How fast koblitz is\n\n%s\n\n", c.Notice)
	for _, h := range c.Head {
		fmt.Fprintf(&b, "- %s\n", h)
	}
	for _, t := range c.Tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| %s |\n|%s\n", t.Title, t.Note,
			strings.Join(t.Columns, " | "), strings.Repeat("---|", len(t.Columns)))
		for _, r := range t.Rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r.Cells, " | "))
		}
	}
	b.WriteString("\n# Everything measured\n")
	for _, g := range c.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.Name)
		b.WriteString("| operation | peer | time | koblitz is faster | lowest to highest " +
			"| allocations | remark |\n|---|---|---|---|---|---|---|\n")
		for _, o := range g.Operations {
			for _, r := range o.Rows {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
					o.Title, r.Peer, r.Time, r.Ratio, r.Spread, r.Allocs, r.Remark)
			}
		}
	}
	fmt.Fprintf(&b, "\n# The device\n\n```\n%s```\n", c.Device)
	return b.String()
}
