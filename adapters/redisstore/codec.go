package redisstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A record is a snapshot as bytes: the fields of its hash but the revision. This
// file is the only place that knows what is in them.
//
// The header is a version octet, a CRC-32C over the origin, the digest and the
// rest of the header, and that rest: integers as varints, texts behind their
// length. The checksum is what keeps a flipped bit from turning an outcome that
// disallows into one that allows (SEMANTICS C7), and a value from answering for
// another origin or with another state's body.
//
// Times are nanoseconds from the put. When that was, a reader learns in two ways:
// from the key's life (how long it had in all stands in the header, what is left
// of it is the key's PTTL), which needs nobody's clock but Redis', and from the
// writer's clock. Where the two agree within agreement, the writer's is taken
// exactly, so that all processes with a right clock say the same FetchedAt;
// where not, one of the clocks is off, and the key's life is taken.
type record struct {
	header []byte
	digest []byte // policy.Hash of the body; none: there is no copy
	body   []byte // an octet for its coding, and the coded body
}

const (
	version   = 1
	agreement = 2 * time.Second

	// maxBody is the longest body that is stored or read back: 32 times what a
	// parser has to take (RFC 9309 §2.5) and the default of a fetch, and little
	// enough that a value made to explode in memory does no harm.
	maxBody = 16 << 20

	// The codings of a body. zstd at its default level brought the 137 files over
	// 1 KiB of a corpus of 395 from 1,137 to 198 kB in 42 µs each and back in 13;
	// s2 to 300 kB in 16 and 8 µs. A third less memory is worth 5 µs of a read.
	bodyPlain = 0
	bodyZstd  = 1

	minCompressed = 1 << 10 // SEMANTICS C8; shorter ones gain little
)

// The flags of a header.
const (
	flagChallenged = 1 << iota
	flagTruncated
	flagCopy              // Copy's fields follow
	flagRobotsURL         // FinalURL is the origin's robots.txt
	flagValidatedFinalURL // Validators.URL is FinalURL
	flagUTF8              // Charset is "utf-8"
	flagTimes             // from here on: which times are set, six bits

	flagStop = flagTimes << 6 // Stop follows; records without one are as they were before there was any
)

// The last values of the enumerations that this version knows: whatever is past
// them was written by a later one.
const (
	lastOutcome = policy.Unreachable
	lastFailure = policy.FailedLocally
	lastStop    = policy.StopScheme
)

var errCorrupt = errors.New("undecodable")

// codec turns snapshots into records and back. It is safe for concurrent use.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	crc     *crc32.Table
}

func newCodec() (*codec, error) {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(1<<20), // bodies are mostly below it; less memory
		zstd.WithEncoderCRC(false), // the digest is checked anyway
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, fmt.Errorf("redisstore: compression: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return nil, fmt.Errorf("redisstore: compression: %w", err)
	}
	return &codec{encoder: encoder, decoder: decoder, crc: crc32.MakeTable(crc32.Castagnoli)}, nil
}

// encode writes s as of the writer's clock, for a key that will live for life,
// in whole milliseconds. A nil Body leaves the record's body nil.
func (c *codec) encode(s *policy.Snapshot, wall time.Time, life time.Duration) (record, error) {
	if len(s.Copy.Body) > maxBody {
		return record{}, fmt.Errorf("a body of %d octets is over the limit of %d", len(s.Copy.Body), maxBody)
	}
	var r record
	var flags uint64
	set := func(flag uint64, is bool) {
		if is {
			flags |= flag
		}
	}
	set(flagChallenged, s.Challenged)
	set(flagTruncated, s.Copy.Truncated)
	set(flagCopy, s.HasCopy())
	set(flagRobotsURL, s.FinalURL == s.Origin.RobotsURL())
	set(flagValidatedFinalURL, s.Copy.Validators.URL == s.FinalURL)
	set(flagUTF8, s.Copy.Charset == "utf-8")
	set(flagStop, s.Stop != policy.Final)
	times := timesOf(s)
	for i, t := range times {
		set(flagTimes<<i, !t.IsZero())
	}

	h := make([]byte, headerStart, 192)
	h[0] = version
	h = binary.AppendUvarint(h, flags)
	h = append(h, byte(s.Outcome), byte(s.Failure))
	if s.Stop != policy.Final {
		h = append(h, byte(s.Stop))
	}
	h = binary.AppendVarint(h, int64(s.Status))
	h = binary.AppendVarint(h, int64(s.Hops))
	h = binary.AppendVarint(h, int64(s.Failures))
	h = binary.AppendVarint(h, wall.UnixNano())
	h = binary.AppendUvarint(h, uint64(life.Milliseconds()))
	for _, t := range times {
		if !t.IsZero() {
			// Rounded: both without their monotonic part, which would make this
			// the difference of something else than what is printed.
			h = binary.AppendVarint(h, int64(t.Round(0).Sub(wall.Round(0))))
		}
	}
	if flags&flagRobotsURL == 0 {
		h = appendText(h, s.FinalURL)
	}
	if s.HasCopy() {
		r.digest = s.Copy.Hash[:]
		if flags&flagUTF8 == 0 {
			h = appendText(h, s.Copy.Charset)
		}
		if flags&flagValidatedFinalURL == 0 {
			h = appendText(h, s.Copy.Validators.URL)
		}
		h = appendText(h, s.Copy.Validators.ETag)
		h = appendText(h, s.Copy.Validators.LastModified)
		r.body = c.encodeBody(s.Copy.Body)
	}
	binary.LittleEndian.PutUint32(h[1:], c.checksum(s.Origin, r.digest, h[headerStart:]))
	r.header = h
	return r, nil
}

// headerStart is where a header's rest begins, behind version and checksum.
const headerStart = 1 + crc32.Size

// timesOf lists the times of a snapshot in the order they are written.
func timesOf(s *policy.Snapshot) [6]time.Time {
	return [...]time.Time{s.FetchedAt, s.RefreshAt, s.FreshUntil, s.FailingSince, s.Copy.FetchedAt, s.Copy.ConfirmedAt}
}

func (c *codec) encodeBody(body []byte) []byte {
	if body == nil {
		return nil
	}
	if len(body) >= minCompressed {
		coded := c.encoder.EncodeAll(body, append(make([]byte, 0, len(body)/4), bodyZstd))
		if len(coded) < len(body)/10*9 {
			return coded
		}
	}
	return append(append(make([]byte, 0, 1+len(body)), bodyPlain), body...)
}

// decode reads a record that has left to live, as of the reader's clock; a
// negative left means that the key has no end. Without a body in it the Body is
// nil. The error says what is wrong and holds nothing of the value.
func (c *codec) decode(origin site.Origin, r record, left time.Duration, now time.Time) (*policy.Snapshot, error) {
	if len(r.header) <= headerStart {
		return nil, fmt.Errorf("%w: the header is cut short", errCorrupt)
	}
	if r.header[0] != version {
		return nil, fmt.Errorf("%w: it is of version %d, this is %d", errCorrupt, r.header[0], version)
	}
	if binary.LittleEndian.Uint32(r.header[1:]) != c.checksum(origin, r.digest, r.header[headerStart:]) {
		return nil, fmt.Errorf("%w: header and checksum disagree", errCorrupt)
	}
	// What follows was written by an encoder of this version, unless somebody
	// took the trouble to make up a checksum: hence the checks all the same.
	in := input{rest: r.header[headerStart:]}
	flags := in.uvarint()
	s := &policy.Snapshot{
		Origin:     origin,
		Outcome:    policy.Outcome(in.octet()),
		Failure:    policy.Failure(in.octet()),
		Challenged: flags&flagChallenged != 0,
	}
	if flags&flagStop != 0 {
		s.Stop = policy.Stop(in.octet())
	}
	s.Status, s.Hops, s.Failures = in.int(), in.int(), in.int()
	wall := time.Unix(0, in.varint())
	life := time.Duration(min(in.uvarint(), math.MaxInt64/uint64(time.Millisecond))) * time.Millisecond
	put := putTime(wall, life, left, now)
	for i, t := range []*time.Time{
		&s.FetchedAt, &s.RefreshAt, &s.FreshUntil, &s.FailingSince, &s.Copy.FetchedAt, &s.Copy.ConfirmedAt,
	} {
		if flags&(flagTimes<<i) != 0 {
			*t = put.Add(time.Duration(in.varint())).UTC()
		}
	}
	s.FinalURL = origin.RobotsURL()
	if flags&flagRobotsURL == 0 {
		s.FinalURL = in.text()
	}
	if flags&flagCopy != 0 {
		s.Copy.Truncated = flags&flagTruncated != 0
		s.Copy.Charset = "utf-8"
		if flags&flagUTF8 == 0 {
			s.Copy.Charset = in.text()
		}
		s.Copy.Validators.URL = s.FinalURL
		if flags&flagValidatedFinalURL == 0 {
			s.Copy.Validators.URL = in.text()
		}
		s.Copy.Validators.ETag = in.text()
		s.Copy.Validators.LastModified = in.text()
	}
	switch {
	case in.short || len(in.rest) > 0:
		return nil, fmt.Errorf("%w: the header's length is wrong", errCorrupt)
	case s.Outcome > lastOutcome || s.Failure > lastFailure || s.Stop > lastStop:
		return nil, fmt.Errorf("%w: outcome %d, failure %d or stop %d is of a later version", errCorrupt, s.Outcome, s.Failure, s.Stop)
	case (flags&flagCopy != 0) != (len(r.digest) > 0) || len(r.digest) > 0 && len(r.digest) != len(s.Copy.Hash):
		return nil, fmt.Errorf("%w: a digest of %d octets", errCorrupt, len(r.digest))
	}
	copy(s.Copy.Hash[:], r.digest)
	if r.body == nil || !s.HasCopy() {
		return s, nil
	}
	body, err := c.decodeBody(r.body)
	if err != nil {
		return nil, err
	}
	if policy.HashOf(body) != s.Copy.Hash {
		return nil, fmt.Errorf("%w: body and digest disagree", errCorrupt)
	}
	s.Copy.Body = body
	return s, nil
}

func (c *codec) decodeBody(coded []byte) ([]byte, error) {
	if len(coded) == 0 || len(coded) > maxBody+1 {
		return nil, fmt.Errorf("%w: a body of %d octets", errCorrupt, len(coded))
	}
	switch coding, rest := coded[0], coded[1:]; coding {
	case bodyPlain:
		return rest, nil
	case bodyZstd:
		// The decoder allocates by what a frame says of its size, up to its limit.
		body, err := c.decoder.DecodeAll(rest, nil)
		if err != nil {
			return nil, fmt.Errorf("%w: the body: %w", errCorrupt, err)
		}
		if body == nil {
			body = []byte{} // nil says "not at hand"
		}
		return body, nil
	default:
		return nil, fmt.Errorf("%w: a body of coding %d", errCorrupt, coding)
	}
}

// putTime is when the record was put, in the reader's clock.
func putTime(wall time.Time, life, left time.Duration, now time.Time) time.Time {
	if left < 0 {
		return wall // somebody took the key's end away: only the clock is left
	}
	byLife := now.Add(-max(life-left, 0))
	if byLife.Sub(wall).Abs() <= agreement {
		return wall
	}
	return byLife
}

func (c *codec) checksum(origin site.Origin, digest, rest []byte) uint32 {
	sum := crc32.Update(0, c.crc, []byte(origin.String()))
	sum = crc32.Update(sum, c.crc, digest)
	return crc32.Update(sum, c.crc, rest)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// input reads a header from its start. Reading past the end sets short and
// gives zeros.
type input struct {
	rest  []byte
	short bool
}

func (in *input) octet() byte {
	if len(in.rest) == 0 {
		in.short = true
		return 0
	}
	b := in.rest[0]
	in.rest = in.rest[1:]
	return b
}

func (in *input) uvarint() uint64 {
	v, n := binary.Uvarint(in.rest)
	return take(in, v, n)
}

func (in *input) varint() int64 {
	v, n := binary.Varint(in.rest)
	return take(in, v, n)
}

func (in *input) int() int { return int(in.varint()) }

// text copies, as it would otherwise hold on to the whole header.
func (in *input) text() string {
	n := in.uvarint()
	if n > uint64(len(in.rest)) {
		in.short = true
		return ""
	}
	text := string(in.rest[:n])
	in.rest = in.rest[n:]
	return text
}

// take steps past a varint of n octets; n is 0 or less if it is broken.
func take[V uint64 | int64](in *input, v V, n int) V {
	if n <= 0 {
		in.short, in.rest = true, nil
		return 0
	}
	in.rest = in.rest[n:]
	return v
}
