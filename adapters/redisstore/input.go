package redisstore

import (
	"encoding/binary"
	"time"
)

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

func (in *input) span() time.Duration {
	seconds := in.varint()
	d := time.Duration(seconds>>1) * time.Second
	if seconds&1 != 0 {
		d += time.Duration(in.varint())
	}
	return d
}

// text copies, as it would otherwise hold on to the whole value.
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
