// Package after is package before, ported to koblitz. The tests compare the results of both.
package after
