package relay

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
)

// maxSecond is the maximum number of events with the same creation time that are remembered.
const maxSecond = 1 << 16

// pages requests events page by page, newest first. Each page ends at the time of the oldest event
// of the page before, so events of that time arrive twice.
type pages struct {
	base  Filter
	until int64 // latest time in the open page; MaxInt64 for no bound

	oldest int64  // time of the oldest event in the page, MaxInt64 before any
	here   hashes // hashes of the page's events of the time oldest
	before hashes // hashes of events of the time until in earlier pages
	got    int    // number of events in the page
	fresh  int    // number of these events that earlier pages did not have

	// probe is not 0 if the current page is requested only to learn whether the relay has older
	// events. It is then the number of received events whose time is until+1, the oldest time so
	// far.
	probe int
}

// hashes is a set of hashes of whole events. A hash does not depend on the id that an event claims.
type hashes map[[sha256.Size]byte]bool

func newPages(base Filter) *pages {
	p := &pages{base: base, until: math.MaxInt64, before: hashes{}}
	if text, ok := base["until"]; ok {
		p.until, _ = strconv.ParseInt(string(text), 10, 64) // ParseFilter accepts only numbers
	}
	p.begin()
	return p
}

func (p *pages) begin() {
	p.oldest, p.here, p.got, p.fresh = math.MaxInt64, hashes{}, 0, 0
}

// filter returns the filter that requests the current page.
func (p *pages) filter() Filter {
	f := maps.Clone(p.base)
	if p.until != math.MaxInt64 {
		f["until"] = json.RawMessage(strconv.FormatInt(p.until, 10))
	}
	return f
}

// add records an event of the current page. known reports whether an earlier page had it.
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

// end ends the current page. It reports whether another page must be requested.
func (p *pages) end() (more bool) {
	switch {
	case p.got == 0 || p.oldest < 0 || p.fresh == 0 && p.until == 0:
		return false // no event is older than 1970
	case p.fresh == 0:
		// Every event of the page has the time p.until, and earlier pages had all of them. Either
		// no other events are left, or the relay has more events of that time than it sends at
		// once.
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
