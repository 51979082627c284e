package hash

import "encoding/binary"

// sha256Lanes computes SHA-256 of many messages in lanes, one message per lane. Each step
// compresses one block of every lane's message. A lane whose message has ended takes the next
// message, so lanes are idle only when fewer messages than lanes are left.
type sha256Lanes struct {
	out      [][32]byte
	messages [][]byte
	double   bool
	most     int          // maximum number of blocks of a message hashed in lanes
	next     int          // index of the first message that no lane has taken
	lanes    []sha256Lane // sixteen with vectors, or else two
	state    [8][Sixteen]uint32
	initial  [8]uint32
}

type sha256Lane struct {
	busy   bool
	number int       // index of the message
	second bool      // the lane hashes the message's digest (double SHA-256)
	rest   []byte    // the message's whole blocks not compressed yet
	last   [128]byte // its end holds the message's last bytes and the padding
	ends   int       // number of blocks at the end of last not compressed yet
}

// sha256Blocks returns the number of blocks of a message of n bytes after padding, which adds at
// least a byte 0x80 and eight bytes of length (FIPS 180-4, section 5.1.1).
//
//ct:unrun-portable for AVX-512, which the other build has
func sha256Blocks(n int) int { return (n + 9 + 63) / 64 }

// sha256Many implements [SHA256Each] and [DoubleSHA256Each]. It hashes several messages at a time,
// each in its own vector lane.
//
//ct:unrun-portable for AVX-512, which the other build has
func sha256Many(out [][32]byte, messages [][]byte, double bool) {
	s := sha256Lanes{out: out, messages: messages, double: double}
	if haveKernels() {
		s.lanes = make([]sha256Lane, Sixteen)
	} else {
		s.lanes = make([]sha256Lane, 2)
	}
	s.run()
}

// run hashes all messages. A message with more than a sixth of all blocks is hashed without lanes:
// it would take as many steps as it has blocks, and a step in sixteen lanes takes as long as four
// blocks with the CPU's SHA-256 instructions. Without vectors there are only two lanes. A step then
// takes a fifth longer than a block, so the limit is four fifths of all blocks.
//
//ct:unrun-portable for AVX-512, which the other build has
func (s *sha256Lanes) run() {
	all := 0
	for _, msg := range s.messages {
		all += sha256Blocks(len(msg))
	}
	s.most, s.initial = all/6, initialState()
	if len(s.lanes) == 2 {
		s.most = all - all/5
	}
	var blocks [Sixteen]*[64]byte
	var words [2][8][Sixteen]uint32
	for {
		busy := false
		for j := range s.lanes {
			l := &s.lanes[j]
			if len(l.rest) == 0 && l.ends == 0 {
				s.turn(j)
			}
			busy = busy || l.busy
			if len(l.rest) > 0 {
				blocks[j], l.rest = (*[64]byte)(l.rest), l.rest[64:]
			} else {
				blocks[j] = (*[64]byte)(l.last[(len(l.last)-64*l.ends)&64:])
				l.ends = max(0, l.ends-1)
			}
		}
		if !busy {
			return
		}
		step(&s.state, &words, &blocks, len(s.lanes))
	}
}

// turn stores the digest of lane j if the lane is busy, and gives the lane the next hash to
// compute, if any is left.
//
//ct:unrun-portable for AVX-512, which the other build has
func (s *sha256Lanes) turn(j int) {
	l := &s.lanes[j]
	if l.busy {
		if s.double && !l.second {
			var digest [32]byte
			s.digest(&digest, j)
			s.begin(j, digest[:])
			l.second = true
			return
		}
		s.digest(&s.out[l.number], j)
	}
	l.busy, l.second = false, false
	for ; s.next < len(s.messages) && !l.busy; s.next++ {
		msg := s.messages[s.next]
		if sha256Blocks(len(msg)) > s.most {
			sha256Alone(&s.out[s.next], msg, s.double)
			continue
		}
		l.busy, l.number = true, s.next
		l.rest = msg[:len(msg)&^63]
		s.begin(j, msg)
	}
}

// begin starts a hash of msg in lane j: it sets the initial state and pads the end of msg. The
// caller must already have set the lane's field rest to the whole blocks of msg, or to nothing if
// msg is shorter than a block.
//
//ct:unrun-portable for AVX-512, which the other build has
func (s *sha256Lanes) begin(j int, msg []byte) {
	for i := range s.state {
		s.state[i][j%Sixteen] = s.initial[i]
	}
	l := &s.lanes[j]
	tail := msg[len(msg)&^63:]
	l.ends = sha256Blocks(len(tail))
	last := l.last[(len(l.last)-64*l.ends)&64:]
	l.last = [128]byte{}
	last[copy(last, tail)] = 0x80
	binary.BigEndian.PutUint64(last[len(last)-8:], 8*uint64(len(msg)))
}

// digest sets *out to the chaining value of lane j.
//
//ct:unrun-portable for AVX-512, which the other build has
func (s *sha256Lanes) digest(out *[32]byte, j int) {
	for i := range s.state {
		binary.BigEndian.PutUint32(out[4*i:], s.state[i][j%Sixteen])
	}
}
