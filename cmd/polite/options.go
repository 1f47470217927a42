package main

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/polite-crawler/polite/domain/charset"
	"github.com/polite-crawler/polite/domain/policy"
)

// A span is a time, as people write it: "10s".
type span time.Duration

// Decode reads a time from 1ms to a minute, which is the most that a request may
// take.
func (s *span) Decode(ctx *kong.DecodeContext) error {
	return timeUpTo(ctx, (*time.Duration)(s), time.Minute, "1m", "500ms or 10s")
}

// A while is a longer time.
type while time.Duration

// Decode reads a time from 1ms to an hour, which is the most that a Gate gives
// one origin.
func (w *while) Decode(ctx *kong.DecodeContext) error {
	return timeUpTo(ctx, (*time.Duration)(w), time.Hour, "1h", "20s or 5m")
}

func timeUpTo(ctx *kong.DecodeContext, to *time.Duration, most time.Duration, written, examples string) error {
	given := value(ctx)
	d, err := time.ParseDuration(given)
	if err != nil || d < time.Millisecond || d > most {
		return fmt.Errorf("%q is not a time from 1ms to %s; write it like %s", given, written, examples)
	}
	*to = d
	return nil
}

// lifetimes are those of polite.Config.
type lifetimes policy.Lifetimes

// Decode reads names and times: "max=48h,not-found=1h".
func (l *lifetimes) Decode(ctx *kong.DecodeContext) error {
	given := value(ctx)
	var read policy.Lifetimes
	fields := map[string]*time.Duration{
		"min": &read.Min, "max": &read.Max, "not-found": &read.NotFound, "unavailable": &read.Unavailable,
		"soft-not-found": &read.SoftNotFound, "last-good-max": &read.LastGoodMax,
	}
	for part := range strings.SplitSeq(given, ",") {
		name, text, _ := strings.Cut(part, "=")
		to := fields[name]
		d, err := time.ParseDuration(text)
		if to == nil || err != nil || d < time.Millisecond {
			return fmt.Errorf("%q: %q is not one of min, max, not-found, unavailable, soft-not-found and last-good-max with a time; write it like max=48h,not-found=1h",
				given, part)
		}
		*to = d
	}
	if err := read.Check(); err != nil {
		return fmt.Errorf("%q: %w", given, err)
	}
	*l = lifetimes(read)
	return nil
}

// A size is a number of octets, as people write it: "512KiB".
type size int

// Decode reads a size from 1 to maxSize.
func (s *size) Decode(ctx *kong.DecodeContext) error {
	given := value(ctx)
	number, unit := given, 1
	for _, suffix := range []struct {
		name string
		unit int
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}} {
		if before, found := strings.CutSuffix(given, suffix.name); found {
			number, unit = before, suffix.unit
		}
	}
	n, err := strconv.ParseUint(number, 10, 32)
	if err != nil || n == 0 || n > uint64(maxSize/unit) {
		return fmt.Errorf("%q is not a size from 1 to 64MiB; write it like 524288, 512KiB or 1MiB", given)
	}
	*s = size(int(n) * unit)
	return nil
}

// maxSize keeps --parallel times --max-bytes within a machine.
const maxSize = 64 << 20

// hops is a number of redirects.
type hops int

// Decode reads a number from 0 to 100.
func (h *hops) Decode(ctx *kong.DecodeContext) error { return number(ctx, (*int)(h), 0, 100) }

// A status is that of an HTTP response; 0 for none.
type status int

// Decode reads a number of three digits.
func (s *status) Decode(ctx *kong.DecodeContext) error { return number(ctx, (*int)(s), 100, 999) }

// needsFile reports whether the rules stand in what comes with the status.
func (s status) needsFile() bool { return s >= 200 && s < 300 && s != 206 && !s.hasNoBody() }

// hasNoBody reports whether nothing can come with the status (RFC 9110 §6.4.1).
func (s status) hasNoBody() bool {
	return s >= 100 && s < 200 || s == 204 || s == 205 || s == 304
}

// width is a number of questions under way.
type width int

// Decode reads a number from 1 to 1024.
func (w *width) Decode(ctx *kong.DecodeContext) error { return number(ctx, (*int)(w), 1, 1024) }

func number(ctx *kong.DecodeContext, to *int, from, till int) error {
	given := value(ctx)
	n, err := strconv.Atoi(given)
	if err != nil || n < from || n > till {
		return fmt.Errorf("%q is not a number from %d to %d; give one that is", given, from, till)
	}
	*to = n
	return nil
}

// value takes whatever stands behind a flag, "-1" too, which kong would take
// for a flag and advise to quote.
func value(ctx *kong.DecodeContext) string {
	token := ctx.Scan.Pop()
	if token.IsEOL() {
		return ""
	}
	return text(token)
}

// decodeString reads strings as they are. Kong's own way through JSON would
// change every octet that is not UTF-8, in URLs and names of files. An empty one
// behind a flag is most likely a variable that was not set: were it taken for no
// flag, --robots "$FILE" would go and fetch.
func decodeString(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err != nil {
		return err
	}
	given := text(token)
	if given == "" && ctx.Value.Flag != nil {
		return errors.New("it is empty; give a value, or leave the flag out")
	}
	target.SetString(given)
	return nil
}

// text is what a token says: "MyBot" in "-a=MyBot", too.
func text(token kong.Token) string {
	if token.Type == kong.ShortFlagTailToken {
		return strings.TrimPrefix(token.String(), "=")
	}
	return token.String()
}

// validCharset refuses a --charset that nothing can be decoded from.
func validCharset(name string) error {
	if err := charset.Valid(name); err != nil {
		return fmt.Errorf(`--charset: %w; use a name like utf-8, windows-1252 or binary`, err)
	}
	return nil
}
