package buffer

import (
	"sync"
	"testing"
)

// TestUsers checks that a buffer is not reused before its last user has released it, on any
// goroutine.
func TestUsers(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 2000 {
				b := New(64 + i%64)
				mark := byte(4*i + g)
				for k := range b.Bytes {
					b.Bytes[k] = mark
				}
				for range 3 {
					b.Hold()
					wg.Add(1)
					go func() {
						defer wg.Done()
						for k, c := range b.Bytes {
							if c != mark {
								t.Errorf("byte %d is %d, want %d", k, c, mark)
								break
							}
						}
						b.Release()
					}()
				}
				b.Release()
			}
		}()
	}
	wg.Wait()
}

// TestSizes checks that a buffer has the requested length, independent of buffers released before.
func TestSizes(t *testing.T) {
	for _, n := range []int{10, 1000, 5, 2 * size, size, 1, 2 * size} {
		b := New(n)
		if len(b.Bytes) != n {
			t.Errorf("%d bytes, want %d", len(b.Bytes), n)
		}
		b.Release()
	}
	(*Buffer)(nil).Release()
	defer func() {
		if recover() == nil {
			t.Error("released twice")
		}
	}()
	b := &Buffer{}
	b.users.Store(1)
	b.Release()
	b.Release()
}

// TestPart checks that a part of a large buffer keeps at most four times the part's own size from
// being freed.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		of, part int
		copied   bool
	}{{size, 1, false}, {4 * size, size, false}, {4 * size, size - 1, true}, {4 * size, 0, true}} {
		b := New(c.of)
		clear(b.Bytes)
		data, of := b.Part(b.Bytes[:c.part:c.part])
		if len(data) != c.part || (of == nil) != c.copied || of != nil && of != b {
			t.Errorf("%+v: %d bytes, %p of %p", c, len(data), of, b)
		}
		of.Release()
		b.Release() // panics if b has no user left
	}
	var none *Buffer
	if data, of := none.Part(nil); data != nil || of != nil {
		t.Errorf("%v, %v", data, of)
	}
}

// TestRoom checks that data stays in place if there is room after it, and is copied otherwise.
// After a copy, the old buffer must be released, and unchanged for its other users.
func TestRoom(t *testing.T) {
	var none *Buffer
	data, b := none.Room([]byte("ab"), 10, 100)
	if string(data) != "ab" || len(b.Bytes) != 110 || cap(data)-len(data) < 100 {
		t.Fatalf("%q, %d bytes", data, len(b.Bytes))
	}
	data = append(data, "cdefgh"...)
	same, of := b.Room(data, cap(data)-len(data), 1)
	if of != b || &same[0] != &data[0] || len(same) != 8 {
		t.Errorf("%q is elsewhere", same)
	}
	part, held := b.Part(data[:4])
	moved, of := b.Room(data[4:], cap(data), 3)
	if string(moved) != "efgh" || of == b || len(of.Bytes) != 4+cap(data) {
		t.Errorf("%q, %d bytes", moved, len(of.Bytes))
	}
	copy(of.Bytes, "xxxx")
	if string(part) != "abcd" || string(data[4:]) != "efgh" {
		t.Errorf("%q has changed", data)
	}
	held.Release() // panics unless held has one user left
	defer func() {
		if recover() == nil {
			t.Error("not released")
		}
	}()
	held.Release()
}
