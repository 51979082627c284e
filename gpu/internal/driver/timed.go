package driver

import "time"

// A Timed is a Device that can measure its launches. The devices of packages cuda and opencl can.
type Timed interface {
	Device
	NewTimedQueue() (TimedQueue, error)
}

// A TimedQueue is a Queue that measures its launches by the device's clock. Measuring slows
// launches down, so a Queue of NewQueue does not measure.
type TimedQueue interface {
	Queue
	// Times returns the durations of the launches that the last Wait waited for, in order. The
	// durations exclude copies, and the time that the host needs to start a launch.
	Times() []time.Duration
}
