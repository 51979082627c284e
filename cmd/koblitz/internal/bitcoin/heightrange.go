package bitcoin

import "fmt"

// missing returns an error if a file or block inside the range is missing from the folder (see
// missingBlock for blocks).
func (d *Directory) missing() error {
	s := &d.span
	if s.FromFile >= 0 && s.ToFile >= 0 {
		for i := 1; i < len(d.files); i++ {
			next := d.files[i-1].number + 1
			if d.files[i].number != next && s.file(next-1) && s.file(next) {
				return fmt.Errorf("%s: there is no blk%05d.dat, which is between --from and --to", d.path, next)
			}
		}
	}
	if !s.byHeight() {
		return nil
	}
	return d.missingBlock()
}

// missingBlock returns an error if the range asks for a missing block. If both limits are heights,
// each height between them must have a block. If the only limit is a height, that height must have
// a block. If one limit is a height and the other a file, at least one block must be in the range.
// Stale blocks do not count, because they are passed over.
func (d *Directory) missingBlock() error {
	s := d.span
	files := s.FromFile >= 0 || s.ToFile >= 0
	from, to := s.FromHeight, s.ToHeight
	if from < 0 {
		from = to
	}
	if to < 0 {
		to = from
	}
	// The folder has n = d.index.n blocks, so of any n+1 heights at least one has no block. It
	// suffices to look at the first n+1 heights of the range.
	size := int32(min(int64(to)-int64(from), int64(d.index.n)) + 1)
	there := newBitset(size)
	some, last := false, int32(unknownHeight)
	for i := range d.files {
		if !s.file(d.files[i].number) {
			continue
		}
		for k := range d.files[i].count {
			n := d.files[i].first + k
			h := d.index.height(n)
			if h < 0 || d.index.lost.has(n) {
				continue
			}
			last = max(last, h)
			some = some || s.height(h)
			if h >= from && h-from < size {
				there.set(h - from)
			}
		}
	}
	switch {
	case files && !some:
		return fmt.Errorf("%s: no block of these heights is in these files", d.path)
	case files:
		return nil
	}
	for i := range size {
		if !there.has(i) {
			return fmt.Errorf("%s: there is no block %d, which --from and --to ask for; the last one is %d",
				d.path, from+i, last)
		}
	}
	return nil
}
