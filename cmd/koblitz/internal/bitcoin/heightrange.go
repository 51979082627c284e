package bitcoin

import "fmt"

// missing returns an error if a file or block inside the range is missing from the folder. Stale
// blocks do not count as blocks, because they are passed over.
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
	from, to := int64(s.FromHeight), int64(s.ToHeight)
	if from < 0 {
		from = to
	}
	if to < 0 {
		to = from
	}
	chain, err := d.BestChain()
	if err != nil {
		return err
	}
	for h := from; h <= to; h++ {
		if h > int64(chain.Tip()) || chain.blocks[h] < 0 {
			return fmt.Errorf("%s: there is no block %d, which --from and --to ask for; the last one is %d",
				d.path, h, chain.Tip())
		}
	}
	return nil
}
