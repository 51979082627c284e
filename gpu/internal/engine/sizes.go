package engine

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// How long launches are, and how many there are at a time.
const (
	// defaultMemory has room for launches of two waves by the largest GPUs of today.
	defaultMemory = 256 << 20

	// maxSlots is how many launches are under way at most. A call has two of them: while the one
	// runs, results of the other are copied back, and its next columns are packed and copied
	// to the device. So two calls can work at the same time.
	maxSlots = 4

	// unitGroups is how many groups a unit of the device runs at a time: the kernels take no more
	// registers than that many groups have (KERNEL in vendor.h). The groups of all units
	// together are a wave.
	unitGroups = 4

	// launchWaves is how many waves a launch has. In the last one, units wait for the
	// slowest group, which costs half a wave on the average: unless there is another
	// launch whose columns have arrived, the groups of which take the places that become
	// free. So that is lost once a call, and not once a launch; and what a call waits for
	// before the device has anything to do, which is packing and copying one launch, is
	// the less the shorter a launch is. One wave would do if the host came back in no time.
	// The second one is for the time until a goroutine wakes up, and for launching.
	// Less than a wave is never worth a launch of its own: it takes as long as one.
	launchWaves = 2

	// maxRows bounds a launch, and so how long it takes until a context ends a call.
	maxRows = 1 << 18
)

// waveRows returns how many rows a wave has on a device of so many units.
func waveRows(units int) int { return max(units, 1) * unitGroups * driver.Group }

// launchRows returns how many rows a launch has on a device of so many units, if launches take at
// most so many bytes of memory, on the host and on the device each: whole waves, if there is room
// for one, and whole groups, at least one.
func launchRows(units int, memory int64) int {
	wave := int64(waveRows(units))
	rows := min(launchWaves*wave, maxRows, memory/int64(maxSlots*rowBytes()))
	if rows > wave {
		rows -= rows % wave
	}
	return int(max(rows-rows%driver.Group, driver.Group))
}

// memoryLimit returns the bytes that launches may use, of those that Options state or leave open.
func memoryLimit(stated int64) int64 {
	if stated <= 0 {
		return defaultMemory
	}
	return stated
}

// allocate makes slots, as large and as many as memory allows.
func (e *Engine) allocate(memory int64) error {
	memory = memoryLimit(memory)
	e.rows = launchRows(e.dev.Info().Units, memory)
	for ; e.rows >= driver.Group; e.rows = e.rows / 2 / driver.Group * driver.Group {
		for e.slots < maxSlots && int64(e.slots+1)*int64(e.rows*rowBytes()) <= memory {
			s, err := newSlot(e.dev, e.rows)
			if errors.Is(err, driver.ErrMemory) {
				break
			}
			if err != nil {
				return err
			}
			e.free <- s
			e.slots++
		}
		// With one slot alone the device would wait for the host.
		if e.slots >= 2 || e.slots == 1 && e.rows == driver.Group {
			e.wave = min(e.rows, waveRows(e.dev.Info().Units))
			return nil
		}
		for ; e.slots > 0; e.slots-- {
			(<-e.free).free()
		}
	}
	return fmt.Errorf("%w of %d rows", ErrMemory, driver.Group)
}
