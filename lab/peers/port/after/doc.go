// Package after has the functions of the package lab/peers/port/before, ported to koblitz. The
// tests compare the results of both packages.
package after
