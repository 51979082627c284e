package engine

import (
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// accepts reports whether the options have a device that accepts a call.
func (o *Options) accepts(k Kind, r device.Rules, rows int) bool {
	return o.Device != nil && o.Device.Accepts(k, r, rows)
}

// acceptsForm reports whether the device accepts c, or the form of c that forDevice makes. With
// compressed, the device accepts c only with keys of 33 bytes in place of 65. An engine may change
// its answers, for example when its memory is full, so the caller must not ask again.
func (o *Options) acceptsForm(c *device.Call) (ok, compressed bool) {
	if o.accepts(c.Kind, c.Rules, c.Rows) {
		return true, false
	}
	compressed = c.Rules&device.Uncompressed != 0 &&
		o.accepts(c.Kind, c.Rules&^device.Uncompressed, c.Rows)
	return compressed, compressed
}

// forDevice returns the call to give the device in place of c. ok is false if the device accepts no
// form of c. If the device refuses keys of 65 bytes, the call has the same keys in 33 bytes. A
// malformed key becomes zeros, which are malformed too.
func (o *Options) forDevice(c *device.Call) (call device.Call, ok bool) {
	call = *c
	ok, compressed := o.acceptsForm(c)
	if !compressed {
		return call, ok
	}
	const size = 33
	keys := make([]byte, size*c.Rows)
	w := crew.New(equationWorkers(c.Rows, o.Workers))
	defer w.Stop()
	w.Share(c.Rows, profile.Current().LiftRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if isKey(c, i) {
				key, b := at65(&c.Columns[1], i), keys[size*i:][:size]
				b[0] = 0x02 | key[64]&1
				copy(b[1:], key[1:33])
			}
		}
	})
	call.Rules &^= device.Uncompressed
	call.Columns[1] = device.Column{Data: keys, Stride: size}
	return call, true
}
