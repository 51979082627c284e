package cudatest

import "github.com/koblitz-go/koblitz/gpu/internal/lab/ptx"

// Counted returns the counts of executed instructions of each kernel since the last call of
// Counted, if Profile is set.
func (d *Driver) Counted() map[string]*ptx.Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	counted := d.counted
	d.counted = nil
	return counted
}

// counts returns the counts to which a launch of the kernel is added, or nil.
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
