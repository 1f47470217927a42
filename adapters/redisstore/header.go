package redisstore

import (
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// The header of a value: integers as varints, texts behind their length, and what
// most snapshots have in common as a bit. The time of the attempt is written as
// nanoseconds from the put, all others from it, so that they are short: mostly a
// whole number of seconds.

// The flags of a header.
const (
	flagChallenged = 1 << iota
	flagTruncated
	flagCopy              // Copy's fields follow
	flagRobotsURL         // FinalURL is the origin's robots.txt
	flagValidatedFinalURL // Validators.URL is FinalURL
	flagUTF8              // Charset is "utf-8"
	flagDate              // LastModified is a date in its usual form
	flagStop              // Stop follows
	flagScoped            // the body was kept for the store's Scope
	flagWalked            // Hops follow
	flagFailing           // Failures follow
	flagTimes             // from here on: which times are set, six bits
)

// The last values of the enumerations that this version knows: whatever is past
// them was written by a later one.
const (
	lastOutcome = policy.Unreachable
	lastFailure = policy.FailedLocally
	lastStop    = policy.StopScheme
)

func appendHeader(h []byte, s *policy.Snapshot, wall time.Time, life time.Duration) []byte {
	var flags uint64
	set := func(flag uint64, is bool) {
		if is {
			flags |= flag
		}
	}
	modified, isDate := dateOf(s.Copy.Validators.LastModified)
	set(flagChallenged, s.Challenged)
	set(flagTruncated, s.Copy.Truncated)
	set(flagCopy, s.HasCopy())
	set(flagRobotsURL, s.FinalURL == s.Origin.RobotsURL())
	set(flagValidatedFinalURL, s.Copy.Validators.URL == s.FinalURL)
	set(flagUTF8, s.Copy.Charset == "utf-8")
	set(flagDate, isDate)
	set(flagStop, s.Stop != policy.Final)
	set(flagScoped, !s.Copy.Scope.IsZero())
	set(flagWalked, s.Hops != 0)
	set(flagFailing, s.Failures != 0)
	times := timesOf(s)
	for i, t := range times {
		set(flagTimes<<i, !t.IsZero())
	}

	h = binary.AppendUvarint(h, flags)
	h = append(h, byte(s.Outcome), byte(s.Failure))
	if s.Stop != policy.Final {
		h = append(h, byte(s.Stop))
	}
	h = binary.AppendVarint(h, int64(s.Status))
	if s.Hops != 0 {
		h = binary.AppendVarint(h, int64(s.Hops))
	}
	if s.Failures != 0 {
		h = binary.AppendVarint(h, int64(s.Failures))
	}
	h = binary.AppendVarint(h, wall.UnixNano())
	h = binary.AppendUvarint(h, uint64(life.Milliseconds()))
	base := wall
	for i, t := range times {
		if !t.IsZero() {
			// Rounded: both without their monotonic part, which would make this
			// the difference of something else than what is printed.
			h = appendSpan(h, t.Round(0).Sub(base.Round(0)))
			if i == 0 {
				base = t
			}
		}
	}
	if flags&flagRobotsURL == 0 {
		h = appendText(h, s.FinalURL)
	}
	if !s.HasCopy() {
		return h
	}
	if flags&flagUTF8 == 0 {
		h = appendText(h, s.Copy.Charset)
	}
	if flags&flagValidatedFinalURL == 0 {
		h = appendText(h, s.Copy.Validators.URL)
	}
	h = appendText(h, s.Copy.Validators.ETag)
	if isDate {
		return binary.AppendVarint(h, modified)
	}
	return appendText(h, s.Copy.Validators.LastModified)
}

// decodeHeader reads a header whose checksum was right. It was written by an
// encoder of this version, unless somebody took the trouble to make up a
// checksum: hence the checks all the same.
func decodeHeader(origin site.Origin, header []byte, scope policy.Scope, left time.Duration, now time.Time) (s *policy.Snapshot, fits bool, err error) {
	in := input{rest: header}
	flags := in.uvarint()
	s = &policy.Snapshot{
		Origin:     origin,
		Outcome:    policy.Outcome(in.octet()),
		Failure:    policy.Failure(in.octet()),
		Challenged: flags&flagChallenged != 0,
	}
	if flags&flagStop != 0 {
		s.Stop = policy.Stop(in.octet())
	}
	s.Status = in.int()
	if flags&flagWalked != 0 {
		s.Hops = in.int()
	}
	if flags&flagFailing != 0 {
		s.Failures = in.int()
	}
	wall := time.Unix(0, in.varint())
	base, fits := puts(wall, lifeOf(in.uvarint()), left, now)
	for i, t := range []*time.Time{
		&s.FetchedAt, &s.RefreshAt, &s.FreshUntil, &s.FailingSince, &s.Copy.FetchedAt, &s.Copy.ConfirmedAt,
	} {
		if flags&(flagTimes<<i) != 0 {
			*t = base.Add(in.span()).UTC()
			if i == 0 {
				base = *t
			}
		}
	}
	s.FinalURL = origin.RobotsURL()
	if flags&flagRobotsURL == 0 {
		s.FinalURL = in.text()
	}
	if flags&flagCopy != 0 {
		in.readCopy(s, flags, scope)
	}
	switch {
	case in.short || len(in.rest) > 0:
		return nil, fits, fmt.Errorf("%w: the header's length is wrong", errCorrupt)
	case s.Outcome > lastOutcome || s.Failure > lastFailure || s.Stop > lastStop:
		return nil, fits, fmt.Errorf("%w: outcome %d, failure %d or stop %d is of a later version", errCorrupt, s.Outcome, s.Failure, s.Stop)
	case flags&flagScoped != 0 && scope.IsZero():
		return nil, fits, fmt.Errorf("%w: it was kept for some agents, and this store keeps all", errCorrupt)
	case flags&flagCopy != 0 && !s.HasCopy():
		return nil, fits, fmt.Errorf("%w: a copy with the digest of none", errCorrupt)
	}
	return s, fits, nil
}

func (in *input) readCopy(s *policy.Snapshot, flags uint64, scope policy.Scope) {
	if flags&flagScoped != 0 {
		s.Copy.Scope = scope
	}
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
	if flags&flagDate != 0 {
		s.Copy.Validators.LastModified = dateText(in.varint())
	} else {
		s.Copy.Validators.LastModified = in.text()
	}
	if len(in.rest) < len(s.Copy.Hash) {
		in.short = true
		return
	}
	in.rest = in.rest[copy(s.Copy.Hash[:], in.rest):]
}

// timesOf lists the times of a snapshot in the order they are written.
func timesOf(s *policy.Snapshot) [6]time.Time {
	return [...]time.Time{s.FetchedAt, s.RefreshAt, s.FreshUntil, s.FailingSince, s.Copy.FetchedAt, s.Copy.ConfirmedAt}
}

// dateForm is the usual form of a date in HTTP (RFC 9110 §5.6.7).
const dateForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// dateOf reads a date, if it can be written again exactly so.
func dateOf(text string) (seconds int64, ok bool) {
	t, err := time.Parse(dateForm, text)
	return t.Unix(), err == nil && t.Format(dateForm) == text
}

// dateText writes a date that dateOf read. time.Format reads its layout anew each
// time, which takes as long as all the rest of a header.
func dateText(seconds int64) string {
	t := time.Unix(seconds, 0).UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	if year < 0 || year > 9999 {
		return t.Format(dateForm)
	}
	text := [len(dateForm)]byte([]byte(dateForm))
	copy(text[0:], t.Weekday().String()[:3])
	copy(text[8:], month.String()[:3])
	for _, number := range [...]struct{ at, value int }{
		{5, day}, {12, year / 100}, {14, year % 100}, {17, hour}, {20, minute}, {23, second},
	} {
		text[number.at], text[number.at+1] = '0'+byte(number.value/10), '0'+byte(number.value%10)
	}
	return string(text[:])
}

// appendSpan writes a whole number of seconds shorter than another time.
func appendSpan(b []byte, d time.Duration) []byte {
	seconds, rest := int64(d/time.Second), d%time.Second
	if rest == 0 {
		return binary.AppendVarint(b, 2*seconds)
	}
	return binary.AppendVarint(binary.AppendVarint(b, 2*seconds+1), int64(rest))
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// octetsOf reads a string as bytes without copying it. They must not be changed.
func octetsOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
