package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/koblitz-go/koblitz/bench/internal/harness"
	"github.com/koblitz-go/koblitz/bench/internal/peer"
)

// A figure is one plot as an SVG element.
type figure struct {
	Title, Caption, SVG string
	Marks               int // bars or points that the data has
	Keys                []key
}

// A key names a colour of a figure.
type key struct{ Name, Color string }

func (f *figure) colour(j int, name string) color.RGBA {
	c := palette[j%len(palette)]
	f.Keys = append(f.Keys, key{name, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	return c
}

// ink stands for the page's own text colour, light or dark.
var ink = color.RGBA{1, 2, 3, 255}

// palette is readable on white and on near-black.
var palette = []color.RGBA{{0x1f, 0x8a, 0xd6, 255}, {0xe0, 0x7b, 0x1a, 255}, {0x2c, 0xa0, 0x5a, 255}, {0xc9, 0x4f, 0x6d, 255}, {0x8f, 0x6f, 0xd8, 255}, {0x9a, 0x87, 0x3a, 255}, {0x38, 0xa3, 0xa5, 255}, {0x80, 0x80, 0x80, 255}}

func newPlot() *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.BackgroundColor = color.Transparent
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
	}
	return p
}

var inkCSS = regexp.MustCompile(`#010203`)

func svg(p *plot.Plot, w, h vg.Length) string {
	c := vgsvg.New(w, h)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return ""
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):]
	// The size is the page's affair; the viewBox stays.
	s = regexp.MustCompile(`width="[^"]*" height="[^"]*"`).ReplaceAllString(s, `role="img"`)
	return inkCSS.ReplaceAllString(s, "currentColor")
}

// bars shows by how much koblitz is faster, a bar for each peer and operation.
func bars(r *harness.Run, group string) (figure, bool) {
	var names []string
	var ops []harness.Operation
	for _, o := range r.Operations {
		if _, ok := o.Of(peer.Koblitz); o.Group != group || !ok || len(o.Results) < 2 {
			continue
		}
		ops = append(ops, o)
		for _, x := range o.Results {
			if x.Peer != peer.Koblitz && !strings.HasPrefix(x.Peer, peer.Koblitz+"/") && !slices.Contains(names, x.Peer) {
				names = append(names, x.Peer)
			}
		}
	}
	if len(ops) == 0 || len(names) == 0 {
		return figure{}, false
	}
	p := newPlot()
	f := figure{Title: group, Caption: "Times faster than each peer; the line is equal speed."}
	labels := make([]string, len(ops))
	thick := vg.Points(7)
	for j, name := range names {
		values := make(plotter.Values, len(ops))
		for i, o := range ops {
			row := len(ops) - 1 - i
			labels[row] = o.Title
			base, _ := o.Of(peer.Koblitz)
			if x, ok := o.Of(name); ok {
				values[row], _, _ = x.Ratio(base)
				f.Marks++
			}
		}
		b, err := plotter.NewBarChart(values, thick)
		if err != nil {
			return figure{}, false
		}
		b.Horizontal, b.Color, b.LineStyle.Width = true, f.colour(j, name), 0
		b.Offset = vg.Length(float64(len(names)-1)/2-float64(j)) * thick
		p.Add(b)
	}
	one, _ := plotter.NewLine(plotter.XYs{{X: 1, Y: -0.6}, {X: 1, Y: float64(len(ops)) - 0.4}})
	one.Color, one.Width = ink, 1
	p.Add(one)
	p.NominalY(labels...)
	p.X.Min = 0
	p.X.Label.Text = "times faster"
	f.SVG = svg(p, 640, vg.Points(70)+vg.Length(len(ops)*(len(names)+2))*thick)
	return f, true
}

// curves shows the time for one element over the size, on two log axes.
func curves(r *harness.Run, title, prefix string) (figure, bool) {
	lines := map[string]plotter.XYs{}
	var names []string
	for _, o := range r.Operations {
		id, ok := strings.CutPrefix(o.ID, prefix)
		if !ok || strings.Trim(id, "0123456789") != "" && !strings.HasPrefix(id, "naive-") {
			continue
		}
		for _, x := range o.Results {
			name := x.Peer
			if strings.HasPrefix(id, "naive-") {
				name += ", one by one"
			}
			if x.NS() > 0 && !math.IsInf(x.NS(), 0) {
				if lines[name] == nil {
					names = append(names, name)
				}
				lines[name] = append(lines[name], plotter.XY{X: float64(o.Size), Y: x.NS() / 1000})
			}
		}
	}
	if len(names) == 0 {
		return figure{}, false
	}
	p := newPlot()
	f := figure{Title: title, Caption: "Time for one element as the work grows; less is better. Both axes are logarithmic."}
	for j, name := range names {
		l, pts, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return figure{}, false
		}
		l.Color, l.Width = f.colour(j, name), 2
		pts.Color, pts.Shape, pts.Radius = l.Color, draw.CircleGlyph{}, 3
		p.Add(l, pts)
		f.Marks += len(lines[name])
	}
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	var sizes []plot.Tick
	for n := 1; n <= 1<<16; n *= 4 {
		sizes = append(sizes, plot.Tick{Value: float64(n), Label: fmt.Sprint(n)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(sizes)
	var times []plot.Tick
	for _, e := range []float64{0.01, 0.1, 1, 10, 100} {
		for _, m := range []float64{1, 2, 5} {
			times = append(times, plot.Tick{Value: e * m, Label: fmt.Sprintf("%g", e*m)})
		}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(times)
	p.X.Label.Text, p.Y.Label.Text = "n", "µs for one"
	p.X.Min, p.X.Max = max(1, p.X.Min), p.X.Max*1.1
	if p.Y.Min == p.Y.Max {
		p.Y.Min, p.Y.Max = p.Y.Min/2, p.Y.Max*2
	}
	f.SVG = svg(p, 640, 400)
	return f, true
}

func figuresOf(r *harness.Run) []figure {
	var all []figure
	add := func(f figure, ok bool) {
		if ok {
			all = append(all, f)
		}
	}
	for _, g := range [...]string{peer.Signatures, peer.Points, peer.Fields, peer.Cold} {
		add(bars(r, g))
	}
	add(curves(r, peer.Normalize, "normalize-"))
	add(curves(r, peer.Batches+": BIP-340", "schnorr-batch-"))
	add(curves(r, peer.Batches+": ECDSA", "ecdsa-batch-"))
	add(curves(r, peer.MSM, "msm-"))
	return all
}

// fit returns the a of a·n/log2 n through the origin, for the whole time in µs.
func fit(r *harness.Run, name string) (a float64, ok bool) {
	var num, den float64
	for _, n := range peer.MSMSizes {
		o, found := r.Find(fmt.Sprintf("msm-%d", n))
		if x, has := o.Of(name); found && has {
			// Relative errors count alike at every size.
			shape := 1 / math.Log2(float64(n))
			y := x.NS() / 1000
			num += shape / y
			den += shape * shape / (y * y)
		}
	}
	return num / den, den > 0
}
