package launch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

const (
	// keyRows is the number of rows per key of a set after which the Engine makes tables of the
	// keys. A table with windows of eight bits takes as long to make as it saves in some forty
	// rows, and the set may not be used again.
	keyRows = 64
	// Tables of keys get 1/keyShare of the memory that launches may use.
	keyShare = 4
)

// A keySet holds the tables of a set of keys on the device. The tables have the largest windows
// that fit into memory.
type keySet struct {
	tables driver.Buffer
	count  int
}

// keySets keeps the tables of the last set of keys that was used, for later calls. Before it makes
// tables of a set, it counts the rows that use the set.
type keySets struct {
	// lock is a mutex, implemented as a channel with room for one element so that waiting for it
	// can end with a context. Its holder may wait for the device.
	lock   chan struct{}
	memory int64           // most bytes that the tables may take
	least  int             // keyRows, or 0 to make tables without waiting for rows
	digest [32]byte        // SHA-256 of the keys
	rows   int             // number of rows of all calls with these keys
	set    *keySet         // nil before the tables are made
	left   []driver.Buffer // memory of unfinished tables that the device may still use
	// users is the number of calls and slots that use set. Only the goroutine that holds lock
	// raises it from 0.
	users atomic.Int64
}

// enter locks the key sets of e. It returns an error if ctx ends or the Engine stops taking calls
// before the lock is free.
func (e *Engine) enter(ctx context.Context) error {
	select {
	case e.keys.lock <- struct{}{}:
		return nil
	case <-e.stop:
		return e.stopped()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *Engine) leave() { <-e.keys.lock }

// useKeys returns tables of a call's keys, which the caller gives back by dropKeys. It returns nil
// without an error if there is no memory for tables, if too few rows have used the keys, or if
// other calls are using the tables of another set.
func (e *Engine) useKeys(ctx context.Context, c *device.Call) (*keySet, error) {
	count := len(c.Keys) / device.PointSize
	bits := keyBits(count, e.keys.memory)
	if bits == 0 {
		return nil, nil
	}
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.leave()
	k := &e.keys
	if digest := sha256.Sum256(c.Keys); digest != k.digest || k.rows == 0 {
		if k.users.Load() > 0 {
			return nil, nil
		}
		e.freeKeys()
		k.digest, k.rows = digest, 0
	}
	k.rows += c.Rows
	if k.set == nil {
		if k.rows/count < k.least {
			return nil, nil
		}
		set, err := e.makeKeys(ctx, c.Keys, count, bits)
		if set == nil || err != nil {
			return nil, err
		}
		k.set = set
	}
	k.users.Add(1)
	return k.set, nil
}

// dropKeys records that a call no longer uses the tables. They are kept for later calls.
func (e *Engine) dropKeys(set *keySet) {
	if set != nil {
		e.keys.users.Add(-1)
	}
}

// hold keeps the tables until the device is done with slot s, even if the call ends earlier.
func (e *Engine) hold(s *slot, set *keySet) {
	if set != nil {
		e.keys.users.Add(1)
		s.then = func() { e.dropKeys(set) }
	}
}

// freeKeys frees the tables. No call may be using them.
func (e *Engine) freeKeys() {
	if e.keys.set != nil {
		e.keys.set.tables.Free()
		e.keys.set = nil
	}
}

// keyBits returns the largest window size in bits for which tables of count keys fit into the given
// number of bytes. It returns 0 if none fit.
func keyBits(count int, memory int64) int {
	if count == 0 {
		return 0
	}
	for bits := kernels.KeyMost; bits >= kernels.CombLeast; bits-- {
		if kernels.CombSize(bits) <= memory/int64(count) {
			return bits
		}
	}
	return 0
}

// makeKeys has the device make the tables of keys. It returns nil if there is no memory for them.
// It does not stop when ctx ends, but making the tables takes no longer than a launch.
func (e *Engine) makeKeys(ctx context.Context, keys []byte, count, bits int) (*keySet, error) {
	s, err := e.take(ctx)
	if err != nil {
		return nil, err
	}
	defer e.put(s)
	points, err := e.dev.Alloc(len(keys))
	if err != nil {
		return nil, without(driver.ErrMemory, err)
	}
	tables, err := e.dev.Alloc(int(kernels.CombSize(bits)) * count)
	if err != nil {
		points.Free()
		return nil, without(driver.ErrMemory, err)
	}
	err = e.carryOut(context.WithoutCancel(ctx), s, func(q driver.Queue) error {
		err := q.Write(points, 0, keys)
		if err == nil {
			err = q.Launch("k_keys", count, uint32(count), uint32(bits), points, tables)
		}
		for step := 0; err == nil && step < bits-1; step++ {
			each := kernels.CombRows(bits, step)
			err = q.Launch("k_keys_comb", each*count, uint32(each*count), uint32(step), uint32(each),
				tables)
		}
		return err
	})
	if s.busy { // the device failed or hangs
		e.keys.left = append(e.keys.left, points, tables)
		return nil, err
	}
	points.Free()
	if err != nil {
		tables.Free()
		return nil, without(driver.ErrMemory, err)
	}
	return &keySet{tables, count}, nil
}

// without returns nil if err is, or wraps, the error in the parameter passing. Otherwise it returns
// err.
func without(passing, err error) error {
	if errors.Is(err, passing) {
		return nil
	}
	return err
}

// releaseKeys frees all tables when the Engine is closed.
func (e *Engine) releaseKeys() {
	e.freeKeys()
	for _, b := range e.keys.left {
		b.Free()
	}
	e.keys.left = nil
}

// withKeys returns the call and the program that carry out the rows of a prepared kind. If keys is
// not nil, it returns c itself, and p with the tables in keys. If keys is nil, it returns a call
// that holds a key for each row, and the program for such calls.
func (p *program) withKeys(c *device.Call, keys *keySet) (*device.Call, *program) {
	q := *p
	if q.keys = keys; keys == nil {
		c = named(c)
		q, _ = programOf(c.Kind)
	}
	return c, &q
}

// named converts a call of a prepared kind, in which each row has an index into a set of keys, to a
// call in which each row has its key in a column. An index outside of the set becomes an invalid
// encoding.
func named(c *device.Call) *device.Call {
	call := *c
	call.Kind, call.Keys = device.ECDSA, nil
	width := 33
	if c.Kind == device.PreparedSchnorr {
		call.Kind, width = device.Schnorr, 32
	}
	count := len(c.Keys) / device.PointSize
	keys := make([]byte, width*(count+1))
	for i := range count {
		point, key := c.Keys[device.PointSize*i:][:device.PointSize], keys[width*i:][:width]
		copy(key[width-32:], point[:32])
		if width == 33 {
			key[0] = 2 | point[device.PointSize-1]&1
		}
		if [device.PointSize]byte(point) == [device.PointSize]byte{} {
			fill(key, 0xff)
		}
	}
	fill(keys[width*count:], 0xff)
	column := make([]byte, width*c.Rows)
	numbers := &c.Columns[1]
	inPieces(c.Rows, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			number := binary.LittleEndian.Uint32(numbers.Data[numbers.Stride*i:])
			copy(column[width*i:][:width], keys[width*int(min(uint64(number), uint64(count))):])
		}
	})
	call.Columns[1] = device.Column{Data: column, Stride: width}
	return &call
}
