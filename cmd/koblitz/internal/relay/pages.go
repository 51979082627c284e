package relay

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
)

// maxSecond is the maximum number of events with the same time that are distinguished.
const maxSecond = 1 << 16

// pages requests events page by page. Each page ends at the time of the oldest event of the page
// before, so events of that time arrive twice.
type pages struct {
	base  Filter
	until int64 // the time up to which the open page was asked for; MaxInt64 for all times

	oldest int64  // time of an event of the page, MaxInt64 at first
	here   hashes // of the events of that time in the page
	before hashes // of the events of the time until in earlier pages
	got    int    // events of the page
	fresh  int    // those of them that did not come before

	// probe is not 0 if the open page must show whether the relay has older events. It is then the
	// number of events received of the second after until, the last second received.
	probe int
}

// hashes is a set of hashes of whole events, independent of the IDs that they claim.
type hashes map[[sha256.Size]byte]bool

func newPages(base Filter) *pages {
	p := &pages{base: base, until: math.MaxInt64, before: hashes{}}
	if text, ok := base["until"]; ok {
		p.until, _ = strconv.ParseInt(string(text), 10, 64) // a number, by ParseFilter
	}
	p.begin()
	return p
}

func (p *pages) begin() {
	p.oldest, p.here, p.got, p.fresh = math.MaxInt64, hashes{}, 0, 0
}

// filter returns the filter of the open page.
func (p *pages) filter() Filter {
	f := maps.Clone(p.base)
	if p.until != math.MaxInt64 {
		f["until"] = json.RawMessage(strconv.FormatInt(p.until, 10))
	}
	return f
}

// add records an event of the open page. known reports whether it arrived in an earlier page.
func (p *pages) add(created int64, event []byte) (known bool, err error) {
	switch {
	case created > p.until:
		return false, fmt.Errorf("an event of time %d, and those up to %d were asked for", created,
			p.until)
	case p.probe > 0:
		return false, fmt.Errorf("the relay has sent %d events of time %d and has more, which cannot be "+
			`asked for; with "until":%d in --filter the reading goes on behind them`, p.probe, p.until+1,
			p.until)
	}
	hash := sha256.Sum256(event)
	known = created == p.until && p.before[hash]
	if p.got++; !known {
		p.fresh++
	}
	if created < p.oldest {
		p.oldest, p.here = created, hashes{}
	}
	if created == p.oldest {
		p.here[hash] = true
	}
	if len(p.here)+len(p.before) > maxSecond {
		return known, fmt.Errorf("more than %d events of time %d", maxSecond, p.oldest)
	}
	return known, nil
}

// end reports whether to request another page after the open one.
func (p *pages) end() (more bool) {
	switch {
	case p.got == 0 || p.oldest < 0 || p.fresh == 0 && p.until == 0:
		return false // there is nothing before the year 1970
	case p.fresh == 0:
		// All are of the time until, and known. Either there are no others, or the relay has more of
		// that time than it sends at once.
		p.probe = len(p.before)
		p.until--
	case p.oldest < p.until:
		p.until, p.before = p.oldest, p.here
	default:
		maps.Copy(p.before, p.here)
	}
	p.begin()
	return true
}
