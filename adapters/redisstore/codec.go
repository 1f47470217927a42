package redisstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A value is what stands in Redis about an origin: a revision, and unless that is
// all that a Delete left, a header and the body of the copy. This file and its
// neighbours header.go and body.go are the only places that know what is in it.
//
//	octets   what
//	1        version
//	10       revision, random: with the version the policy.Rev of the state
//	3        length of the header
//	4        CRC-32C over the origin and the header
//	…        header; where there is a copy, its last 32 octets are the digest
//	…        body: CRC-32C over the digest and the text, coding, coded text
//
// The first eleven octets name the state in every version, this one's successors
// included: so a Put can replace what it cannot read (SEMANTICS C7), and a
// deleted origin takes no more. Lengths stand where a script finds them, which
// keeps a body that a Put does not bring.
//
// One string takes 300 bytes less than a hash of four fields, whose longer ones
// Redis keeps each in a node of its own (docs/benchmarks.md). The checksums are
// what keeps a flipped bit from turning an outcome that disallows into one that
// allows, and a value from answering for another origin or with another state's
// body.
type value []byte

const (
	version = 2

	revLength   = 11 // version and revision
	headerStart = revLength + 3 + crc32.Size
)

var errCorrupt = errors.New("undecodable")

// rev is the state that a value is.
func (v value) rev() policy.Rev { return policy.Rev(v[:min(len(v), revLength)]) }

// deleted reports whether there is no more than a revision.
func (v value) deleted() bool { return len(v) == revLength && v[0] == version }

// codec turns snapshots into values and back. It is safe for concurrent use.
type codec struct {
	bodies bodies
	scope  policy.Scope // whose lines of a body are kept
	crc    *crc32.Table
}

func newCodec(scope policy.Scope) (*codec, error) {
	c := &codec{scope: scope, crc: crc32.MakeTable(crc32.Castagnoli)}
	return c, c.bodies.init()
}

// encode writes s under a revision as of the writer's clock, for a key that will
// live for life, in whole milliseconds. A nil Body leaves the value without one.
func (c *codec) encode(s *policy.Snapshot, rev policy.Rev, wall time.Time, life time.Duration) (value, error) {
	kept := *s
	s = &kept
	s.Copy = c.scope.Cut(s.Copy)
	switch {
	case s.Copy.Body == nil && s.HasCopy():
		s.Copy.Scope = c.scope // that of the stored body, which stays
	case s.Copy.Scope != c.scope && s.HasCopy():
		return nil, errors.New("its copy was kept for others, and is not whole")
	case len(s.Copy.Body) > maxBody:
		return nil, fmt.Errorf("a body of %d octets is over the limit of %d", len(s.Copy.Body), maxBody)
	}
	v := make(value, headerStart, headerStart+128+len(s.Copy.Body)/2)
	copy(v, rev)
	v = appendHeader(v, s, wall, life)
	if s.HasCopy() {
		v = append(v, s.Copy.Hash[:]...)
	}
	length := len(v) - headerStart
	if length >= 1<<24 {
		return nil, fmt.Errorf("a header of %d octets is over the limit of %d", length, 1<<24-1)
	}
	v[revLength], v[revLength+1], v[revLength+2] = byte(length), byte(length>>8), byte(length>>16)
	binary.LittleEndian.PutUint32(v[headerStart-crc32.Size:], c.headerSum(s.Origin, v[headerStart:]))
	if s.HasCopy() && s.Copy.Body != nil {
		v = binary.LittleEndian.AppendUint32(v, c.bodySum(&s.Copy.Hash, s.Copy.Body))
		v = c.bodies.append(v, s.Copy.Body)
	}
	return v, nil
}

// decode reads a value that has left to live, as of the reader's clock; a
// negative left means that the key has no end. Unless whole, v may end anywhere
// behind the header, and the Body is nil. The error says what is wrong and holds
// nothing of the value.
//
// It reports whether value and left fit each other (see puts): if not, either a
// clock is off, or they were not read in one step.
func (c *codec) decode(origin site.Origin, v value, whole bool, left time.Duration, now time.Time) (s *policy.Snapshot, fits bool, err error) {
	if len(v) > 0 && v[0] != version {
		return nil, true, fmt.Errorf("%w: it is of version %d, this is %d", errCorrupt, v[0], version)
	}
	end, ok := v.headerEnd()
	if !ok {
		return nil, true, fmt.Errorf("%w: the header is cut short", errCorrupt)
	}
	header := v[headerStart:end]
	if binary.LittleEndian.Uint32(v[headerStart-crc32.Size:]) != c.headerSum(origin, header) {
		return nil, true, fmt.Errorf("%w: header and checksum disagree", errCorrupt)
	}
	s, fits, err = decodeHeader(origin, header, c.scope, left, now)
	if err != nil || !whole || !s.HasCopy() {
		return s, fits, err
	}
	coded := v[end:]
	if len(coded) <= crc32.Size {
		return nil, fits, fmt.Errorf("%w: there is no body", errCorrupt)
	}
	body, err := c.bodies.decode(coded[crc32.Size:])
	if err != nil {
		return nil, fits, err
	}
	if binary.LittleEndian.Uint32(coded) != c.bodySum(&s.Copy.Hash, body) {
		return nil, fits, fmt.Errorf("%w: body and checksum disagree", errCorrupt)
	}
	s.Copy.Body = body
	return s, fits, nil
}

// headerEnd returns where the header ends, if all of it is there.
func (v value) headerEnd() (end int, ok bool) {
	if len(v) <= headerStart {
		return 0, false
	}
	end = headerStart + int(v[revLength]) + int(v[revLength+1])<<8 + int(v[revLength+2])<<16
	return end, end <= len(v)
}

// agreement is how far clocks may differ and still count as right.
const agreement = 2 * time.Second

// puts is when a value was put, in the reader's clock.
//
// A reader learns that in two ways: from the key's life (how long it had in all
// stands in the header, what is left of it is the key's PTTL), which needs
// nobody's clock but Redis'; and from the writer's clock. Where the two agree the
// writer's is taken exactly, so that all processes with a right clock say the
// same FetchedAt. Where not, one of the clocks is off, and the key's life is
// taken; or the PTTL is that of another value, as a write came in between.
func puts(wall time.Time, life, left time.Duration, now time.Time) (at time.Time, fits bool) {
	if left < 0 {
		return wall, true // somebody took the key's end away: only the clock is left
	}
	byLife := now.Add(-max(life-left, 0))
	if byLife.Sub(wall).Abs() <= agreement {
		return wall, true
	}
	return byLife, false
}

func (c *codec) headerSum(origin site.Origin, header []byte) uint32 {
	return crc32.Update(crc32.Update(0, c.crc, octetsOf(origin.String())), c.crc, header)
}

func (c *codec) bodySum(digest *policy.Hash, text []byte) uint32 {
	return crc32.Update(crc32.Update(0, c.crc, digest[:]), c.crc, text)
}

// milliseconds of a life as they are written.
func lifeOf(ms uint64) time.Duration {
	return time.Duration(min(ms, math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
}
