package bitcoin

import "fmt"

// missing is an error if something is not there that the range asks for: a file between two that it
// names, or a block (missingBlock).
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

// missingBlock is an error if a block is not there that a range of heights asks for. That is a
// block of each height at a border, and of each between two borders; beside a border that is a file
// it is any block. Blocks that lost are none of these: they are passed over.
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
	// With more heights than blocks there is one without a block among the first.
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
