//go:build !darwin

package machine

// brand returns "": on other systems the name is read from files.
func brand() string { return "" }
