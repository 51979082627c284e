//go:build valgrind && amd64 && !purego

package cpu

// Assume adds features that a program under valgrind may use although valgrind
// does not show them: it translates ADCX and ADOX, whatever the CPU, and leaves
// ADX out of what CPUID says. It is for ctcheck, and nothing else may run while it
// is called.
func Assume(f Feature) { usable |= f }
