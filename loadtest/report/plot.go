package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// chart is one figure of the page. Nothing in its drawing comes from a result but numbers: names stand in the page, where they
// are escaped.
type chart struct {
	Title   string
	Says    string // the same in words, for who cannot see it
	Drawing template.HTML
	Keys    []key
}

// key explains one look of a chart.
type key struct {
	Swatch template.HTML
	Name   string
}

// The size of a chart, in the points that its text is measured in: small, so that it can be read on a phone.
const (
	chartWidth, chartHeight = 400, 280
	swatchWidth             = 34
	swatchHeight            = 12
)

// Stand-ins for colours that depend on the reader's scheme: the page's style sheet gives those of the drawing's variables.
var (
	ink   = color.RGBA{R: 1, G: 2, B: 3, A: 255}
	faint = color.RGBA{R: 4, G: 5, B: 6, A: 255}
	paper = color.RGBA{R: 7, G: 8, B: 9, A: 255}

	schemed = strings.NewReplacer("#010203", "var(--ink)", "#040506", "var(--faint)", "#070809", "var(--paper)")
)

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// Okabe and Ito's colours, which people see apart whatever colours they see. Lines take those that stand out from white and from
// black, and differ in marker and dashes as well.
var (
	lineLooks = []look{
		{rgb(0x0072B2), draw.CircleGlyph{}, nil},
		{rgb(0xD55E00), draw.TriangleGlyph{}, []vg.Length{7, 3}},
		{rgb(0x009E73), draw.SquareGlyph{}, []vg.Length{2, 2}},
		{rgb(0xCC79A7), draw.RingGlyph{}, []vg.Length{8, 3, 2, 3}},
		{rgb(0xE69F00), draw.PyramidGlyph{}, []vg.Length{5, 2}},
		{rgb(0x56B4E9), draw.BoxGlyph{}, []vg.Length{3, 3}},
	}
	fills = []color.RGBA{rgb(0x0072B2), rgb(0xE69F00), rgb(0x56B4E9), rgb(0x009E73), rgb(0xF0E442), rgb(0xCC79A7), rgb(0xD55E00)}
)

// look is how a line is drawn.
type look struct {
	color  color.Color
	marker draw.GlyphDrawer
	dashes []vg.Length
}

func lookOf(n int) look { return lineLooks[n%len(lineLooks)] }

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: 1.8, Dashes: l.dashes}
}

func (l look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: 3.2, Shape: l.marker}
}

// noVerdict marks what must not be read as a measurement.
var noVerdict = draw.GlyphStyle{Color: ink, Radius: 5, Shape: draw.CrossGlyph{}}

// limit is the look of a line that nobody measured.
var limit = draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 3}}

// newPlot is an empty plot in the page's colours.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faint, Width: 0.6}, Vertical: draw.LineStyle{Color: faint, Width: 0.6}})
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle = draw.LineStyle{Color: ink, Width: 0.8}
		a.Tick.LineStyle = draw.LineStyle{Color: ink, Width: 0.6}
		a.Tick.Label.Color, a.Label.TextStyle.Color = ink, ink
		a.Tick.Label.Font, a.Label.TextStyle.Font = sans(13), sans(13)
		a.Tick.Marker = plot.TickerFunc(ticks)
		a.Label.Padding = 4
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

func sans(size font.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// ticks are the usual ones, labelled as figures are.
func ticks(low, high float64) []plot.Tick {
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range all {
		if t.Label != "" {
			all[i].Label = tickLabel(t.Value)
		}
	}
	return all
}

// logarithmic makes an axis of whole decades from low to high.
func logarithmic(a *plot.Axis, low, high float64) {
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if first == last {
		last++
	}
	a.Min, a.Max, a.Scale = math.Pow(10, first), math.Pow(10, last), plot.LogScale{}
	a.Tick.Marker = plot.TickerFunc(func(float64, float64) (all []plot.Tick) {
		for e := first; e <= last; e++ {
			decade := math.Pow(10, e)
			all = append(all, plot.Tick{Value: decade, Label: tickLabel(decade)})
			for k := 2.0; k < 10 && e < last; k++ {
				all = append(all, plot.Tick{Value: k * decade})
			}
		}
		return all
	})
}

func tickLabel(v float64) string {
	if math.Abs(v) >= 1000 {
		return count(int64(math.Round(v)))
	}
	return fmt.Sprintf("%.3g", v)
}

// drawn is a plot as the inside of an SVG element.
func drawn(p *plot.Plot) template.HTML {
	c := vgsvg.New(chartWidth, chartHeight)
	p.Draw(draw.New(c))
	return inside(c)
}

// swatch shows a line's look, or a mark's, or a fill.
func swatch(line *draw.LineStyle, glyph *draw.GlyphStyle, fill color.Color) template.HTML {
	c := vgsvg.New(swatchWidth, swatchHeight)
	d := draw.New(c)
	if fill != nil {
		d.FillPolygon(fill, []vg.Point{{X: 8, Y: 1}, {X: 8, Y: 11}, {X: 26, Y: 11}, {X: 26, Y: 1}})
	}
	if line != nil {
		d.StrokeLine2(*line, 0, swatchHeight/2, swatchWidth, swatchHeight/2)
	}
	if glyph != nil {
		d.DrawGlyph(*glyph, vg.Point{X: swatchWidth / 2, Y: swatchHeight / 2})
	}
	return inside(c)
}

// inside is what a canvas holds, without the SVG element around it, which is the page's.
func inside(c *vgsvg.Canvas) template.HTML {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	s := b.String()
	s = s[strings.Index(s, "<g"):strings.LastIndex(s, "</svg>")]
	return template.HTML(schemed.Replace(s))
}
