package launch

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// These constants limit the sizes of launches, and how many launches are under way at the same
// time.
const (
	// defaultMemory, in bytes, is enough for launches of twice as many rows as the largest GPUs of
	// today compute at the same time.
	defaultMemory = 256 << 20

	// maxSlots is the most launches under way at the same time. A call has two launches under way:
	// while one runs, the results of the other are copied back, and the columns of the next are
	// packed and copied to the device. So two calls can run at the same time.
	maxSlots = 4

	// unitGroups is the number of groups that a multiprocessor runs at the same time: the kernels
	// use few enough registers for this (KERNEL in vendor.h). A wave is unitGroups groups for each
	// multiprocessor.
	unitGroups = 4

	// launchWaves is the number of waves in a launch; a wave is as many rows as the device computes
	// at the same time. At the end of a launch, multiprocessors wait for the slowest group, which
	// costs half a wave on average. If the columns of another launch have arrived, its groups start
	// on the idle multiprocessors, so only the last launch of a call has this cost. On the other
	// hand, the device is idle while a call packs and copies its first launch, which takes less
	// time if launches are short. One wave would be enough if the host reacted at once; the second
	// covers the time to wake up a goroutine and to launch. A launch of less than a wave takes as
	// long as a full wave, and so never pays.
	launchWaves = 2

	// maxRows limits the rows of a launch, and so the time for which a call continues after its
	// context ends.
	maxRows = 1 << 18
)

// waveRows returns the number of rows in a wave: the rows that a device with the given number of
// multiprocessors computes at the same time.
func waveRows(units int) int { return max(units, 1) * unitGroups * driver.Group }

// launchRows returns the number of rows in a launch, on a device with the given number of
// multiprocessors, if all launches together may use memory bytes on the host and as many on the
// device. It returns a number of whole waves if memory has room for a wave, else of whole groups.
// It returns at least one group.
func launchRows(units int, memory int64) int {
	wave := int64(waveRows(units))
	rows := min(launchWaves*wave, maxRows, memory/int64(maxSlots*rowBytes()))
	if rows > wave {
		rows -= rows % wave
	}
	return int(max(rows-rows%driver.Group, driver.Group))
}

// memoryLimit returns how many bytes launches may use: the stated number, or defaultMemory if that
// number is not positive.
func memoryLimit(stated int64) int64 {
	if stated <= 0 {
		return defaultMemory
	}
	return stated
}

// allocate makes slots. Their number and size are as large as memory allows.
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
		// With a single slot the device waits for the host between launches, so two slots of half
		// the size are better.
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
