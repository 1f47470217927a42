package policy

import (
	"math/bits"
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

const (
	// lettersTo is up to how many rules a bucket's numbers can tell apart.
	lettersTo = 255
	// buckets are so few that an index is 80 octets.
	buckets  = 31
	signFrom = 2 // the octet behind the letter
	// perStep is how many rules of a bucket are looked at in one go: as many signs
	// as a word has octets. There is room for that behind the last sign.
	perStep = 8
)

// A sign tells a rule in a bucket from those that a path cannot match, by what its
// literal has behind the letter up to the end or a wildcard: of four octets their
// hash, from 0x80 on; of fewer the first; of none, 0. Eight are compared with a
// path's at once. To go from one to the next is a branch for each, and one for the
// last, that nobody can foretell: Match took a seventh longer that way on the
// common fixture.
func sign(literal string) uint8 {
	head, _, _ := strings.Cut(literal[signFrom:], "*")
	switch {
	case len(head) >= 4:
		return signOfFour(word.Head(head))
	case head != "":
		return head[0]
	}
	return 0
}

func signOfFour(head uint64) uint8 { return uint8(hashGram(uint32(head))>>57) | 0x80 }

// signsOf returns the signs, but for 0, of the rules that a path may match which has
// these octets behind its letter, each eight times.
func signsOf(head uint64) (four, one uint64) {
	return uint64(signOfFour(head)) * word.Each, head & 0xFF * word.Each
}

// takeLetters puts rules into buckets by their literals' second octet.
func (x *index) takeLetters(r *Rules, rules []uint32) {
	for _, i := range rules {
		x.starts[bucket(r.literal(&r.list[i]))]++
	}
	end := uint8(0)
	for b := range x.starts {
		x.starts[b], end = end, end+x.starts[b]
	}
	x.letters = make([]uint8, 2*len(rules)+perStep)
	signs := x.signs()
	next := x.starts
	for _, i := range rules {
		literal := r.literal(&r.list[i])
		at := &next[bucket(literal)]
		x.letters[*at], signs[*at] = uint8(i), sign(literal)
		*at++
	}
}

// bucket is the lower five bits of the letter. All of them are 0 in '@' alone,
// which goes with 'A'.
func bucket(path string) uint8 { return max(path[1]%32, 1) - 1 }

// signs are those of the rules in the buckets, and as many octets more as a step
// may read.
func (x *index) signs() []uint8 { return x.letters[(len(x.letters)-perStep)/2:] }

// findLettered returns the first rule of a bucket that matches, or best if that is
// before it.
func (x *index) findLettered(r *Rules, path string, best int, from, end uint) int {
	var four, one uint64
	if behind := path[signFrom:]; len(behind) >= 8 {
		four, one = signsOf(word.Of(behind))
	} else {
		four, one = signsOf(word.Head(behind))
	}
	signs := x.signs()
	for ; from < end; from += perStep {
		of := word.Of(asString(signs[from : from+perStep]))
		// The highest bit of an octet is set where it is 0, and perhaps above
		// such ones: rules that are tried for nothing.
		suit := word.Below(of, 1) | word.Below(of^four, 1) | word.Below(of^one, 1)
		for suit &= 1<<(8*(end-from)) - 1; suit != 0; suit &= suit - 1 {
			i := int(x.letters[from+uint(bits.TrailingZeros64(suit))/8])
			if i >= best {
				return best
			}
			if r.matches(&r.list[i], path, path) {
				return i
			}
		}
	}
	return best
}
