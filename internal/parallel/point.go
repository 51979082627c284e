package parallel

type Point [5][4]uint64
type Addend [5][8]uint64
type Affine struct{ X, Y [5]uint64 }
