package load

import "testing"

func TestRandomKnownValues(t *testing.T) {
	t.Parallel()
	tests := []struct { // computed with two other implementations of the same definition
		name string
		seed uint32
		want [4]uint32
	}{
		{"zero", 0, [4]uint32{0x64625032, 0xd9c0799c, 0xaf362e10, 0x7fa88912}},
		{"one", 1, [4]uint32{0x5e2d1772, 0x14e498f0, 0xd20ea1fd, 0xb382f339}},
		{"forty-two", 42, [4]uint32{0x20e44818, 0x0895a923, 0x1339a01f, 0xb4e3841a}},
		{"all bits", 0xffffffff, [4]uint32{0xeb721c8a, 0xffe8bd34, 0x4da2a8ce, 0xa4a5cc85}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewRandom(test.seed)
			for i, want := range test.want {
				if got := r.Next(); got != want {
					t.Errorf("value %d is %#x, want %#x", i+1, got, want)
				}
			}
		})
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		bits uint32
		n    int
		want int
	}{
		{"lowest", 0, 50, 0},
		{"highest", 0xffffffff, 50, 49},
		{"middle", 0x80000000, 50, 25},
		{"of one", 0xffffffff, 1, 0},
	} {
		if got := Scale(test.bits, test.n); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestStreamsAreApart(t *testing.T) {
	t.Parallel()
	seen := map[uint32]string{}
	for _, name := range []uint32{streamDeck, streamDraw, streamGapsA} {
		for seed := range uint32(4) {
			for element := range uint32(4) {
				v := stream(seed, name, element).Next()
				if other, ok := seen[v]; ok {
					t.Errorf("stream %x of seed %d, element %d, begins like %s", name, seed, element, other)
				}
				seen[v] = "another"
			}
		}
	}
}
