//go:build valgrind && amd64 && !purego

package cpu

// Assume adds features that a program under valgrind may use although CPUID does not report them:
// valgrind translates ADCX and ADOX on every CPU, but omits ADX from CPUID. Only ctcheck may call
// Assume. No other code may run during the call.
func Assume(f Feature) { usable |= f }
