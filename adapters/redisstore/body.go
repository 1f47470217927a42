package redisstore

import (
	_ "embed" // the dictionary
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// The codings of a body. Every robots.txt is worth coding: what they have in
// common stands in a dictionary, and needs not be stored with each of them.
//
// Short ones are read more often than they fill memory, long ones the other way
// round: s2 gives a body of 2 KB back in 0.7 µs, as against 3.6 for zstd and 11
// for a GET, and takes 80 octets more; of 20 KB zstd saves a third of what s2
// leaves. Both are at their best level: a body is written once a day, and read by
// each worker.
const (
	codingPlain = 0
	codingS2    = 1 // with the dictionary
	codingZstd  = 2

	zstdFrom = 3 << 10

	// maxBody is the longest body that is stored or read back: 32 times what a
	// parser has to take (RFC 9309 §2.5) and the default of a fetch, and little
	// enough that a value made to explode in memory does no harm.
	maxBody = 16 << 20
)

// MaxBody is the longest robots.txt, in octets, that a Store takes.
const MaxBody = maxBody

// The dictionary holds lines that many robots.txt have. It is part of the format:
// to change it takes another version.
//
//go:embed dictionary.txt
var dictionary []byte

// bodies codes the texts of copies. It is safe for concurrent use.
type bodies struct {
	short   *s2.Dict
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func (b *bodies) init() (err error) {
	if b.short = s2.MakeDict(dictionary, []byte("User-agent: *\nDisallow: ")); b.short == nil {
		return errors.New("redisstore: compression: the dictionary is none")
	}
	b.encoder, err = zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedBestCompression),
		zstd.WithWindowSize(1<<20), // bodies are mostly below it; less memory
		zstd.WithEncoderCRC(false), // there is one over the text
		zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true))
	if err == nil {
		b.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBody))
	}
	if err != nil {
		return fmt.Errorf("redisstore: compression: %w", err)
	}
	return nil
}

// append codes a body, whichever way pays.
func (b *bodies) append(to, body []byte) []byte {
	var coded []byte
	coding := byte(codingPlain)
	switch {
	case len(body) >= zstdFrom:
		coding, coded = codingZstd, b.encoder.EncodeAll(body, make([]byte, 0, len(body)/4))
	case len(body) > 0:
		coding, coded = codingS2, b.short.EncodeBest(nil, body)
	}
	if coding == codingPlain || len(coded) >= len(body) {
		return append(append(to, codingPlain), body...)
	}
	return append(append(to, coding), coded...)
}

// decode returns what was coded; never nil without an error, as nil says "not at
// hand".
func (b *bodies) decode(coded []byte) (body []byte, err error) {
	if len(coded) > maxBody+1 {
		return nil, fmt.Errorf("%w: a body of %d octets", errCorrupt, len(coded))
	}
	switch coding, rest := coded[0], coded[1:]; coding {
	case codingPlain:
		return rest, nil
	case codingS2:
		var length int
		if length, err = s2.DecodedLen(rest); err == nil && length > zstdFrom {
			err = fmt.Errorf("it would be of %d octets", length) // and is allocated by what it says
		}
		if err == nil {
			body, err = b.short.Decode(nil, rest)
		}
	case codingZstd:
		// The decoder allocates by what a frame says of its size, up to its limit.
		body, err = b.decoder.DecodeAll(rest, nil)
	default:
		return nil, fmt.Errorf("%w: a body of coding %d", errCorrupt, coding)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the body: %w", errCorrupt, err)
	}
	if body == nil {
		body = []byte{}
	}
	return body, nil
}
