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

	"github.com/koblitz-go/koblitz/lab/bench/internal/harness"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A figure is a plot, drawn as an SVG file.
type figure struct {
	Title string
	SVG   []byte
	Marks int      // number of points that the SVG file must show
	Names []string // names of the lines
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// fileName returns the name of the figure's SVG file.
func (f *figure) fileName() string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(f.Title), "-"), "-") + ".svg"
}

// colour returns the named peer's colour, which is the same in all figures.
func colour(name string) color.RGBA {
	i := slices.Index(peer.Names, name) + 1
	if i == 0 && !strings.HasPrefix(name, peer.Koblitz) { // the peer is a library given by its path
		i = len(peer.Names) + 1 + len(name)
	}
	if level := strings.TrimSuffix(name, peer.OneByOne); strings.HasPrefix(level, peer.Koblitz+"/") {
		i = len(palette) - 1
	}
	return palette[i%len(palette)]
}

// palette holds the peers' colours.
var palette = []color.RGBA{
	{0x0b, 0x7d, 0xe0, 255}, // koblitz
	{0xe0, 0x7b, 0x1a, 255}, {0x2c, 0xa0, 0x5a, 255}, {0x7f, 0xb8, 0x2e, 255},
	{0xc9, 0x4f, 0x6d, 255}, {0xb0, 0x8a, 0x2e, 255}, {0x8f, 0x6f, 0xd8, 255},
	{0x38, 0xa3, 0xa5, 255}, {0xc4, 0x6b, 0xc0, 255},
	{0x6f, 0xa8, 0xdc, 255}, // koblitz with a slower implementation
}

// curves draws the time for one element against the number of elements, with both axes logarithmic.
// If naive is an operation in which koblitz processes one element after another, its time is a
// dashed line.
func curves(r *harness.Run, title, family, naive string) (figure, error) {
	f := figure{Title: title}
	lines := map[string]plotter.XYs{}
	add := func(name string, o harness.Operation, x harness.Result) {
		if t := x.NS(); t > 0 && !math.IsInf(t, 0) {
			if lines[name] == nil {
				f.Names = append(f.Names, name)
			}
			lines[name] = append(lines[name], plotter.XY{X: float64(o.Size), Y: t / 1000})
			f.Marks++
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
	if len(f.Names) == 0 {
		return f, nil
	}
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text, p.Legend.Top = title, true
	for _, name := range f.Names {
		l, pts, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return f, err
		}
		l.Color, l.Width = colour(name), 2
		if name == oneAfterAnother || strings.HasSuffix(name, peer.OneByOne) {
			l.Dashes = []vg.Length{5, 4}
		}
		pts.Color, pts.Shape, pts.Radius = l.Color, draw.CircleGlyph{}, 3
		p.Add(l, pts)
		p.Legend.Add(name, l)
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
	var b bytes.Buffer
	c := vgsvg.New(640, 480)
	p.Draw(draw.New(c))
	_, err := c.WriteTo(&b)
	f.SVG = b.Bytes()
	return f, err
}

const oneAfterAnother = peer.Koblitz + ", one after another"

// figuresOf returns the figures for which the run has results.
func figuresOf(r *harness.Run) (all []figure, err error) {
	families := [][3]string{{peer.Normalize, "normalize", ""}}
	for _, f := range [...]string{
		"schnorr-batch", "schnorr-batch-all", "ecdsa-batch", "recover-batch",
	} {
		for _, b := range peer.BatchFamilies {
			if b.Family == f {
				families = append(families, [3]string{peer.Batches + ": " + b.Title, f, ""})
			}
		}
	}
	for _, f := range append(families, [3]string{peer.MSM, "msm", "msm-naive"}) {
		x, err := curves(r, f[0], f[1], f[2])
		if err != nil {
			return nil, err
		}
		if x.Marks > 0 {
			all = append(all, x)
		}
	}
	return all, nil
}
