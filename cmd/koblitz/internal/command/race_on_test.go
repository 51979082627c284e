//go:build race

package command

const raceDetector = true
