package driver

import "time"

// A Timed is a Device that can tell how long its launches take. Both roads' devices are.
type Timed interface {
	Device
	NewTimedQueue() (TimedQueue, error)
}

// A TimedQueue is a Queue that measures its launches by the device's own clock. That costs
// something, so other queues do not.
type TimedQueue interface {
	Queue
	// Times returns the times of the launches whose end the last Wait has seen, in their
	// order. They are without copies, and without what the host takes for a launch.
	Times() []time.Duration
}
