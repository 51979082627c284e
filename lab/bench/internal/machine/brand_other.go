//go:build !darwin

package machine

// brand returns nothing: files say what the CPU is, if anything does.
func brand() string { return "" }
