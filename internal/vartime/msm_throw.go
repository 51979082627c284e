package vartime

// throwDigits throws the points of rows row, row+1, … into the buckets of their
// half scalars' digits: the bucket number base for 0, and so on. There are at
// most blockSize half scalars, and less than batchPairs pairs wait.
func (w *worker) throwDigits(halves []half, row, base uint32, pos, width uint8, last bool) {
	word, shift := int(pos>>6&1), pos&63
	mask, middle := uint64(1)<<width-1, int64(1)<<(width-1)
	if last {
		middle = 0
	}
	// The rest is as throw does it. What comes in above bit 127 are no bits of the
	// magnitude: the mask ends before them.
	buckets, l := w.buckets[base:], &w.pairs
	la, lb, lbucket, next := l.a, l.b[:len(l.a)], l.bucket[:len(l.a)], l.n
	for i := range halves {
		h := &halves[i]
		d := int64((h[word]>>shift|h[word+1]<<1<<(63-shift))&mask) - middle
		if d == 0 {
			continue
		}
		sign := d >> 63
		at := uint32((d ^ sign) - sign)
		r := ref(row+uint32(i))<<rowShift | ref(h[2]^uint64(sign))&1
		was := buckets[at]
		la[next], lb[next], lbucket[next] = was, r, base+at
		full := uint32((uint64(was) + 1<<32 - 1) >> 32)
		buckets[at] = r & (full - 1)
		next += int(full)
	}
	l.n = next
}
