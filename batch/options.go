package batch

import (
	"github.com/koblitz-go/koblitz/device"
	inner "github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// Every call takes the options that mean something to it, and no others: there is an
// interface for the options of each, which only this package implements.
type (
	// An Option is an option of every call of this package.
	Option interface {
		SchnorrOption
		ECDSAOption
		PreparedOption
		PreparedECDSAOption
		RecoverOption
		KeyOption
		NewSchnorrOption
		NewECDSAOption
		QueueOption
	}

	// A SchnorrOption is one of [SchnorrRows]: Workers, Exact, On.
	SchnorrOption interface {
		set(*options)
		schnorrOption()
	}
	// An ECDSAOption is one of [ECDSARows]: Workers, Exact, LowS, On.
	ECDSAOption interface {
		set(*options)
		ecdsaOption()
	}
	// A PreparedOption is one of [PreparedSchnorrRows]: Workers, On.
	PreparedOption interface {
		set(*options)
		preparedOption()
	}
	// A PreparedECDSAOption is one of [PreparedECDSARows]: Workers, LowS, On.
	PreparedECDSAOption interface {
		set(*options)
		preparedECDSAOption()
	}
	// A RecoverOption is one of [RecoverRows]: Workers, LowS, On.
	RecoverOption interface {
		set(*options)
		recoverOption()
	}
	// A KeyOption is one of [KeyRows] and [ScalarRows]: Workers, On.
	KeyOption interface {
		set(*options)
		keyOption()
	}
	// A NewSchnorrOption is one of [NewSchnorr]: Workers, Exact, On.
	NewSchnorrOption interface {
		set(*options)
		newSchnorrOption()
	}
	// A NewECDSAOption is one of [NewECDSA]: Workers, Exact, LowS, On.
	NewECDSAOption interface {
		set(*options)
		newECDSAOption()
	}
	// A QueueOption is one of [NewQueue]: Workers, Exact, LowS, MaxWaiting.
	QueueOption interface {
		set(*options)
		queueOption()
	}
)

type options struct {
	workers    int // below 1: as many as GOMAXPROCS says
	exact      bool
	lowS       bool
	device     inner.Engine
	maxWaiting int // 0: as many as there are
}

// engine returns the options of calls of package engine.
func (o *options) engine() engine.Options {
	return engine.Options{Workers: o.workers, Exact: o.exact, Device: o.device}
}

// gather returns the settings of all options together. A nil option sets nothing.
func gather[O interface {
	comparable
	set(*options)
}](opts []O) (o options) {
	var none O
	for _, opt := range opts {
		if opt != none {
			opt.set(&o)
		}
	}
	return o
}

// A WorkersOption is what [Workers] returns.
type WorkersOption struct{ n int }

// Workers lets n goroutines work at a time, the caller's among them. Without it, or if
// n is below 1, there are as many as runtime.GOMAXPROCS says. Small calls have fewer.
// Verdicts do not depend on it.
func Workers(n int) WorkersOption { return WorkersOption{n} }

func (w WorkersOption) set(o *options)     { o.workers = w.n }
func (WorkersOption) schnorrOption()       {}
func (WorkersOption) ecdsaOption()         {}
func (WorkersOption) preparedOption()      {}
func (WorkersOption) preparedECDSAOption() {}
func (WorkersOption) recoverOption()       {}
func (WorkersOption) keyOption()           {}
func (WorkersOption) newSchnorrOption()    {}
func (WorkersOption) newECDSAOption()      {}
func (WorkersOption) queueOption()         {}

// An ExactOption is what [Exact] returns.
type ExactOption struct{ exact bool }

// Exact keeps equations out: every signature is verified by itself, and no verdict
// can be wrong, not even with the probability of 2^-128 that an equation has
// (docs/batch-soundness.md), but for what [On] says of devices. VerifyAll is not given
// to a device then: one answer for all rows is what a device takes an equation for.
func Exact() ExactOption { return ExactOption{true} }

func (e ExactOption) set(o *options)  { o.exact = o.exact || e.exact }
func (ExactOption) schnorrOption()    {}
func (ExactOption) ecdsaOption()      {}
func (ExactOption) newSchnorrOption() {}
func (ExactOption) newECDSAOption()   {}
func (ExactOption) queueOption()      {}

// A LowSOption is what [LowS] returns.
type LowSOption struct{ lowS bool }

// LowS makes ECDSA signatures with s above n/2 invalid, as in [ecdsa.VerifyLowS]; in
// recovery, no key comes out of them.
func LowS() LowSOption { return LowSOption{true} }

func (l LowSOption) set(o *options)     { o.lowS = o.lowS || l.lowS }
func (LowSOption) ecdsaOption()         {}
func (LowSOption) preparedECDSAOption() {}
func (LowSOption) recoverOption()       {}
func (LowSOption) newECDSAOption()      {}
func (LowSOption) queueOption()         {}

// A DeviceOption is what [On] returns.
type DeviceOption struct{ d *device.Device }

// On gives a call to a device where that pays. What the device does not settle, and
// every call in which it fails, the CPU does. What it says is checked by the CPU: all
// rows that it says are not Valid, and of the others one in 1024, at least 64, chosen
// by fresh randomness. One answer for all rows cannot be checked so: VerifyAll, and Verify
// of an accumulator, trust a device that says they are valid, even if all rows are forged.
// (There is no equation for ECDSA rows without recovery ids: these are verified and checked
// one by one.) If a call with
// results ends before all rows are done, those of the others may be what the device has
// written. A nil device is none.
//
// An accumulator sends what it has made of keys and signatures, as columns of bytes, which
// costs the CPU some 0.03 µs a row. Messages of BIP-340 are hashed by the device if all have
// 32 bytes, and else by the CPU.
func On(d *device.Device) DeviceOption { return DeviceOption{d} }

func (d DeviceOption) set(o *options)     { o.device = (*inner.Device)(d.d).Engine() }
func (DeviceOption) schnorrOption()       {}
func (DeviceOption) ecdsaOption()         {}
func (DeviceOption) preparedOption()      {}
func (DeviceOption) preparedECDSAOption() {}
func (DeviceOption) recoverOption()       {}
func (DeviceOption) keyOption()           {}
func (DeviceOption) newSchnorrOption()    {}
func (DeviceOption) newECDSAOption()      {}

// A MaxWaitingOption is what [MaxWaiting] returns.
type MaxWaitingOption struct{ n int }

// MaxWaiting makes a [Queue] refuse, with [ErrBusy], callers that would have to wait
// behind n others of the same kind. Without it, or if n is below 1, all may wait.
func MaxWaiting(n int) MaxWaitingOption { return MaxWaitingOption{n} }

func (m MaxWaitingOption) set(o *options) { o.maxWaiting = max(m.n, 0) }
func (MaxWaitingOption) queueOption()     {}
