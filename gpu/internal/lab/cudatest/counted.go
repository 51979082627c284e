package cudatest

import "github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"

// Counted returns, for each kernel, the counts of executed instructions since the last call of
// Counted. Profile must be set.
func (d *Driver) Counted() map[string]*ptx.Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	counted := d.counted
	d.counted = nil
	return counted
}

// counts returns the counts to which launches of the given kernel are added, or nil if instructions
// are not counted.
func (d *Driver) counts(kernel string) *ptx.Counts {
	if !d.Profile {
		return nil
	}
	if d.counted == nil {
		d.counted = make(map[string]*ptx.Counts)
	}
	if d.counted[kernel] == nil {
		d.counted[kernel] = new(ptx.Counts)
	}
	return d.counted[kernel]
}
