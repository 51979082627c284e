package scalar

// The limbs of λ and of what glv.go splits by, least significant first. Tests compute all of them.
const (
	// λ, 255 bits.
	Lambda0 = 0xdf02967c1b23bd72
	Lambda1 = 0x122e22ea20816678
	Lambda2 = 0xa5261c028812645a
	Lambda3 = 0x5363ad4cc05c30e0

	// a1, 126 bits.
	a10 = 0xe86c90e49284eb15
	a11 = 0x3086d221a7d46bcd

	// b1, 128 bits.
	b10 = 0x6f547fa90abfe4c3
	b11 = 0xe4437ed6010e8828

	// a2 = a1 + b1, 129 bits.
	a20 = 0x57c1108d9d44cfd8
	a21 = 0x14ca50f7a8e2f3f6
	a22 = 0x0000000000000001

	// g1 = round(2^320·a1/n), 190 bits.
	g10 = 0x3daa8a1471e8ca80
	g11 = 0xe86c90e49284eb15
	g12 = 0x3086d221a7d46bcd

	// g2 = round(2^320·b1/n), 192 bits.
	g20 = 0x221208ac9df506c6
	g21 = 0x6f547fa90abfe4c4
	g22 = 0xe4437ed6010e8828
)
