// Package swiftec computes the map XSwiftEC of BIP-324 and its inverse (Chavez-Saab,
// Rodríguez-Henríquez and Tibouchi, "SwiftEC: Shallue–van de Woestijne Indifferentiable Function To
// Elliptic Curves", ePrint 2022/759). The map takes two field elements u and t to the x coordinate
// of a point, and each x has many pairs. The package also multiplies a point that is given by such
// a pair, without its y coordinate.
//
// The time of the map and of its inverse depends on their arguments, which must be public. The time
// of the multiplication does not depend on the scalar.
//
// The tests of package ellswift call all of it.
package swiftec
