package engine

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// Sizes of launches, and how many of them are under way at the same time.
const (
	// defaultMemory has room for launches of two waves on the largest GPUs of today.
	defaultMemory = 256 << 20

	// maxSlots is the most launches under way at the same time. A call has two: while one runs, the
	// results of the other are copied back, and its next columns are packed and copied to the
	// device. So two calls can run at the same time.
	maxSlots = 4

	// unitGroups is the number of groups that a multiprocessor runs at the same time: the kernels
	// use few enough registers for that many (KERNEL in vendor.h). A wave is that many groups for
	// each multiprocessor.
	unitGroups = 4

	// launchWaves is the number of waves in a launch. At the end of a launch, units wait for the
	// slowest group, which costs half a wave on average, unless the columns of another launch have
	// arrived, whose groups take the free places. So the loss comes once for each call and not once
	// for each launch. Before the device begins, a call packs and copies one launch, which takes
	// less time the shorter launches are. One wave would do if the host reacted at once; the second
	// covers the time to wake up a goroutine and to launch. Less than a wave is never worth a
	// launch, as it takes as long as a wave.
	launchWaves = 2

	// maxRows limits the rows of a launch, and so the time from the end of a context to the end of
	// its call.
	maxRows = 1 << 18
)

// waveRows returns the number of rows in a wave on a device with the given number of
// multiprocessors.
func waveRows(units int) int { return max(units, 1) * unitGroups * driver.Group }

// launchRows returns the number of rows in a launch, on a device with the given number of
// multiprocessors, if all launches together may use memory bytes on the host and as many on the
// device. It returns whole waves if there is room for one, else whole groups, and at least one
// group.
func launchRows(units int, memory int64) int {
	wave := int64(waveRows(units))
	rows := min(launchWaves*wave, maxRows, memory/int64(maxSlots*rowBytes()))
	if rows > wave {
		rows -= rows % wave
	}
	return int(max(rows-rows%driver.Group, driver.Group))
}

// memoryLimit returns the bytes that launches may use: the stated number, or the default if it is
// not positive.
func memoryLimit(stated int64) int64 {
	if stated <= 0 {
		return defaultMemory
	}
	return stated
}

// allocate makes slots, as many and as large as memory allows.
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
		// With only one slot the device would wait for the host between launches, so smaller slots
		// are better.
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
