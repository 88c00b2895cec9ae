package load

// Random is splitmix32, the only source of randomness of a run, the same here and in the k6 scripts: a Weyl sequence
// (state += 0x9e3779b9) through a 32-bit finaliser (>>16, *0x21f0aaad, >>15, *0x735a2d97, >>15). The zero value is seed 0.
type Random struct{ state uint32 }

// NewRandom returns the generator of a seed.
func NewRandom(seed uint32) *Random { return &Random{state: seed} }

// Next returns the next 32 bits.
func (r *Random) Next() uint32 {
	r.state += 0x9e3779b9
	z := r.state
	z = (z ^ z>>16) * 0x21f0aaad
	z = (z ^ z>>15) * 0x735a2d97
	return z ^ z>>15
}

// Below returns a number in [0, n). The bias, below n / 2^32, does not matter to a load.
func (r *Random) Below(n int) int { return Scale(r.Next(), n) }

// Unit returns a number in (0, 1], so that its logarithm and its powers are finite.
func (r *Random) Unit() float64 { return (float64(r.Next()) + 1) / (1 << 32) }

// Scale maps 32 random bits to [0, n), using the high bits and leaving the low ones independent of the answer.
func Scale(bits uint32, n int) int { return int(uint64(bits) * uint64(n) >> 32) }

// The independent streams of one seed.
const (
	streamDeck  = 0xdec0de01
	streamDraw  = 0xd7a30002
	streamGapsA = 0x9a950003
)

// stream returns the generator of one element of one stream. Streams are mixed apart, not added: two seeds of a Weyl
// sequence that differ by a multiple of its step would be the same sequence, shifted.
func stream(seed, name, element uint32) *Random {
	a := NewRandom(seed).Next() ^ name
	b := NewRandom(a).Next() ^ element
	return NewRandom(NewRandom(b).Next())
}
