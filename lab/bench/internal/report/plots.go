package report

import (
	"bytes"
	"fmt"
	"html/template"
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

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A figure is a plot, drawn as an SVG element.
type figure struct {
	Title, Caption string
	SVG            template.HTML
	Marks          int // // number of bars or points that the SVG element must show
	Keys           []key
}

// A key is an entry of a figure's legend: a peer's name and colour.
type key struct{ Name, Color string }

// colour returns the named peer's colour, which is the same in all figures, and adds the peer to
// the figure's legend.
func (f *figure) colour(name string) color.RGBA {
	i := slices.Index(peer.Names, name) + 1
	if i == 0 && !strings.HasPrefix(name, peer.Koblitz) { // the peer is a library given by its path
		i = len(peer.Names) + 1 + len(name)
	}
	if level := strings.TrimSuffix(name, peer.OneByOne); strings.HasPrefix(level, peer.Koblitz+"/") {
		i = len(palette) - 1
	} else if level == peer.Koblitz {
		i = 0
	}
	c := palette[i%len(palette)]
	f.Keys = append(f.Keys, key{name, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)})
	return c
}

// ink is a placeholder for the page's text colour, which is dark or light. The finished SVG has
// currentColor instead of it.
var ink = color.RGBA{1, 2, 3, 255}

// palette holds the peers' colours, which are readable on white and on near-black.
var palette = []color.RGBA{
	{0x0b, 0x7d, 0xe0, 255}, // koblitz
	{0xe0, 0x7b, 0x1a, 255}, {0x2c, 0xa0, 0x5a, 255}, {0x7f, 0xb8, 0x2e, 255},
	{0xc9, 0x4f, 0x6d, 255}, {0xb0, 0x8a, 0x2e, 255}, {0x8a, 0x8a, 0x8a, 255},
	{0xf0, 0xa8, 0x5a, 255}, {0x8f, 0x6f, 0xd8, 255}, {0xd0, 0x5c, 0x2a, 255},
	{0x38, 0xa3, 0xa5, 255}, {0xc4, 0x6b, 0xc0, 255},
	{0x6f, 0xa8, 0xdc, 255}, // koblitz with a slower implementation
}

func newPlot() *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.BackgroundColor = color.Transparent
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Color, a.Tick.Label.Color = ink, ink, ink, ink
	}
	return p
}

func svg(p *plot.Plot, w, h vg.Length) template.HTML {
	c := vgsvg.New(w, h)
	p.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return ""
	}
	s := b.String()
	s = s[strings.Index(s, "<svg"):]
	// The page sets the size of a figure, so its width and height are removed, but not its viewBox.
	s = regexp.MustCompile(`width="[^"]*" height="[^"]*"`).ReplaceAllString(s, `role="img"`)
	return template.HTML(strings.ReplaceAll(s, "#010203", "currentColor"))
}

// bars draws how many times faster koblitz is than each other peer, with a bar for each peer and
// each operation of the group.
func bars(r *harness.Run, group string) (figure, bool) {
	var names []string
	var ops []harness.Operation
	for _, o := range r.Operations {
		if _, ok := o.Of(peer.Koblitz); o.Group != group || !ok || len(o.Results) < 2 {
			continue
		}
		ops = append(ops, o)
		for _, x := range o.Results {
			if x.Peer != peer.Koblitz && !strings.HasPrefix(x.Peer, peer.Koblitz+"/") &&
				!slices.Contains(names, x.Peer) {
				names = append(names, x.Peer)
			}
		}
	}
	if len(ops) == 0 || len(names) == 0 {
		return figure{}, false
	}
	p := newPlot()
	f := figure{Title: group, Caption: "Times faster than each peer; the line is equal speed."}
	// Vertical positions are counted in bars from the top. A bar takes no space if its peer lacks
	// the operation.
	all := make([]barsOf, len(names))
	var labels []plot.Tick
	height := 0.0
	for _, o := range ops {
		base, _ := o.Of(peer.Koblitz)
		first := height
		for j, name := range names {
			if x, ok := o.Of(name); ok {
				m, _, _ := x.Ratio(base)
				all[j].values = append(all[j].values, plotter.XY{X: m, Y: -height})
				height++
				f.Marks++
			}
		}
		if height == first {
			continue
		}
		labels = append(labels, plot.Tick{Value: -(first + height - 1) / 2, Label: o.Title})
		height += 1.2
	}
	for j, name := range names {
		b := all[j]
		b.color, b.label = f.colour(name), p.X.Tick.Label
		b.label.Font.Size, b.label.XAlign, b.label.YAlign = 7.5, draw.XLeft, draw.YCenter
		p.Add(b)
	}
	one, _ := plotter.NewLine(plotter.XYs{{X: 1, Y: 0.8}, {X: 1, Y: 0.4 - height}})
	one.Color, one.Width = ink, 1
	p.Add(one)
	p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.LineStyle.Width = plot.ConstantTicks(labels), 0, 0
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0.4-height, 0.8
	p.X.Label.Text = "times faster"
	f.SVG = svg(p, 640, 60+vg.Length(height+0.4)*pitch)
	return f, true
}

// thick is the height of a bar, and pitch is the distance from the top of a bar to the top of the
// next.
const thick, pitch vg.Length = 7, 8

// barsOf holds the bars of one peer (a library in the comparison), one for each operation that the
// peer supports. Each bar is labelled with its value.
type barsOf struct {
	values plotter.XYs // length and vertical position of each bar
	color  color.Color
	label  draw.TextStyle
}

func (b barsOf) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, v := range b.values {
		left, right, middle := x(0), x(v.X), y(v.Y)
		low, high := middle-thick/2, middle+thick/2
		c.FillPolygon(b.color, []vg.Point{
			{X: left, Y: low}, {X: right, Y: low}, {X: right, Y: high}, {X: left, Y: high},
		})
		c.FillText(b.label, vg.Point{X: right + 2, Y: middle}, times(v.X))
	}
}

func (b barsOf) DataRange() (xmin, xmax, ymin, ymax float64) {
	for _, v := range b.values {
		xmax, ymin = max(xmax, v.X*1.08), min(ymin, v.Y)
	}
	return 0, xmax, ymin, 0
}

// curves draws the time for one element against the number of elements, with both axes logarithmic.
// If naive is an operation in which koblitz processes one element after another, its time is a
// dashed line.
func curves(r *harness.Run, title, family, naive string) (figure, bool) {
	lines := map[string]plotter.XYs{}
	var names []string
	add := func(name string, o harness.Operation, x harness.Result) {
		if t := x.NS(); t > 0 && !math.IsInf(t, 0) {
			if lines[name] == nil {
				names = append(names, name)
			}
			lines[name] = append(lines[name], plotter.XY{X: float64(o.Size), Y: t / 1000})
		}
	}
	for _, o := range r.Operations {
		for _, x := range o.Results {
			if o.Family == family {
				add(x.Peer, o, x)
			} else if o.Family == naive && naive != "" && x.Peer == peer.Koblitz {
				add(oneAfterAnother, o, x)
			}
		}
	}
	if len(names) == 0 {
		return figure{}, false
	}
	p := newPlot()
	f := figure{Title: title, Caption: "Time for one element as the work grows; less is better. " +
		"Both axes are logarithmic."}
	for _, name := range names {
		l, pts, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return figure{}, false
		}
		l.Color, l.Width = f.colour(name), 2
		if name == oneAfterAnother || strings.HasSuffix(name, peer.OneByOne) {
			l.Dashes = []vg.Length{5, 4}
		}
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

const oneAfterAnother = peer.Koblitz + ", one after another"

func figuresOf(r *harness.Run) []figure {
	var all []figure
	add := func(f figure, ok bool) {
		if ok {
			all = append(all, f)
		}
	}
	for _, g := range [...]string{
		peer.Signatures, peer.Prepared, peer.Points, peer.Fields, peer.Cold,
	} {
		add(bars(r, g))
	}
	add(curves(r, peer.Normalize, "normalize", ""))
	for _, f := range [...]string{
		"schnorr-batch", "schnorr-batch-all", "ecdsa-batch", "recover-batch",
	} {
		for _, b := range peer.BatchFamilies {
			if b.Family == f {
				add(curves(r, peer.Batches+": "+b.Title, f, ""))
			}
		}
	}
	add(curves(r, peer.MSM, "msm", "msm-naive"))
	return all
}
