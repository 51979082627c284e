//go:build valgrind && amd64 && !purego

package cpu

// Assume adds features that a program under valgrind may use although CPUID does
// not report them there: valgrind translates ADCX and ADOX on every CPU, but
// omits ADX from CPUID. It is for ctcheck. No other code may run during the call.
func Assume(f Feature) { usable |= f }
