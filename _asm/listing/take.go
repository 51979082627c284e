package listing

import "github.com/koblitz-go/koblitz/_asm/interp"

// Len returns the number of instructions in the function so far.
func (f *Function) Len() int { return len(f.list) }

// Take removes the instructions from index from on, and returns them. There must be no label after
// the first of these instructions.
func (f *Function) Take(from int) []interp.Instruction {
	for name, at := range f.labels {
		if at > from {
			f.Fail("the label %s among instructions that are to get another place", name)
		}
	}
	list := f.list[from:]
	f.list = f.list[:from:from]
	return list
}
