package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

const (
	// keyRows is how many rows of a set there must have been for each of its keys until tables of
	// them are made. A table of eight bits takes as long as some forty rows save by it, and the
	// set may not come again.
	keyRows = 64
	// keyShare of the memory that launches may use is for tables of keys.
	keyShare = 4
)

// A keySet is tables of a set of keys on the device, for windows as wide as memory allows.
type keySet struct {
	tables driver.Buffer
	count  int
}

// keySets keeps the tables of the set that was used last, for the calls to come. A set whose tables
// have not been made is there without them.
type keySets struct {
	// lock has a place for one goroutine. It waits for the device, which others must not have to.
	lock   chan struct{}
	memory int64           // for tables
	least  int             // keyRows, or 0: then tables are made at once
	digest [32]byte        // SHA-256 of the keys
	rows   int             // of all calls with them
	set    *keySet         // or nil
	users  atomic.Int64    // calls and slots that work with it; from 0 it grows with the lock alone
	mu     sync.Mutex      // for what follows
	left   []driver.Buffer // which the device may be at work on
}

// setKeyMemory prepares e for sets, of a share of the memory that launches may use.
func (e *Engine) setKeyMemory(memory int64) {
	memory = memoryLimit(memory)
	e.keys.lock, e.keys.memory = make(chan struct{}, 1), memory/keyShare
}

// enter takes the lock.
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

// useKeys returns the tables of a call's keys, which dropKeys takes back. There are none, and no
// error, if there is no memory for them, if they do not pay yet, or if other calls use those of
// another set.
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
		// Its users are calls that ended while they made tables, whose memory is in use still.
		if k.rows/count < k.least || k.users.Load() > 0 {
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

// dropKeys says that a call does not use the tables any more. They stay for the next one.
func (e *Engine) dropKeys(set *keySet) {
	if set != nil {
		e.keys.users.Add(-1)
	}
}

// hold has the tables stay until the device is done with a slot, which may be after the call.
func (e *Engine) hold(s *slot, set *keySet) {
	if set != nil {
		e.keys.users.Add(1)
		s.then = func(error) { e.dropKeys(set) }
	}
}

// freeKeys frees the tables, which no call uses.
func (e *Engine) freeKeys() {
	if e.keys.set != nil {
		e.keys.set.tables.Free()
		e.keys.set = nil
	}
}

// keyBits returns the width of the widest windows for which tables of so many keys fit in so much
// memory, or 0 if there is none.
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

// makeKeys has the device make the tables of keys. Without memory there are none.
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
	s.busy = true
	// The caller's memory is not the device's once the call is over, and ctx can end it.
	err = s.queue.Write(points, 0, append([]byte(nil), keys...))
	if err == nil {
		err = s.queue.Launch("k_keys", count, uint32(count), uint32(bits), points, tables)
	}
	for step := 0; err == nil && step < bits-1; step++ {
		each := kernels.CombRows(bits, step)
		err = s.queue.Launch("k_keys_comb", each*count, uint32(each*count), uint32(step),
			uint32(each), tables)
	}
	if err == nil {
		err = e.wait(ctx, s.queue.Wait)
	}
	if err != nil {
		e.keys.users.Add(1)
		s.then = func(err error) {
			e.freeLater(err, points, tables)
			e.keys.users.Add(-1)
		}
		return nil, without(driver.ErrMemory, err)
	}
	s.busy = false
	points.Free()
	return &keySet{tables, count}, nil
}

// freeLater frees what tables were to be made of, and in, when the device is done with it. If it
// may not be, as an error says, that is freed with the Engine.
func (e *Engine) freeLater(err error, buffers ...driver.Buffer) {
	if err != nil {
		e.keys.mu.Lock()
		defer e.keys.mu.Unlock()
		e.keys.left = append(e.keys.left, buffers...)
		return
	}
	for _, b := range buffers {
		b.Free()
	}
}

// without returns err, or nil if that is a passing one.
func without(passing, err error) error {
	if errors.Is(err, passing) {
		return nil
	}
	return err
}

// releaseKeys frees what there is, of an Engine that carries out nothing any more.
func (e *Engine) releaseKeys() {
	e.freeKeys()
	e.keys.mu.Lock()
	defer e.keys.mu.Unlock()
	for _, b := range e.keys.left {
		b.Free()
	}
	e.keys.left = nil
}

// withKeys returns a call of a prepared kind and its program as they are for a set of tables, or
// without any: then each row has its key, and the program is that of such rows.
func (p *program) withKeys(c *device.Call, set *keySet) (*device.Call, *program) {
	q := *p
	if q.keys = set; set == nil {
		c = named(c)
		q, _ = programOf(c.Kind)
	}
	return c, &q
}

// named returns a call of a prepared kind as one of the kind whose keys are in a column. A number
// that names no key is an encoding of none.
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
