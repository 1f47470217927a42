package policy

import (
	"fmt"
	"math"
	"strings"
)

// Attempt returns how the last attempt ended.
func (s *Snapshot) Attempt() Attempt {
	return Attempt{
		Status:  uint16(s.Status),
		Hops:    uint16(min(s.Hops, math.MaxUint16)),
		Outcome: s.Outcome,
		Failure: s.Failure,
		Stop:    s.Stop,
	}
}

// Account says for people what is known of the origin's robots.txt, and how that
// was learned: "there is none: the answer is 404". What it means for a URL is a
// Decision's to say. It holds nothing of what the origin sent.
func (s *Snapshot) Account() string {
	if !s.Known() {
		return "nothing is known about it yet"
	}
	var b strings.Builder
	b.WriteString(s.found())
	if how := s.Attempt().String(); how != "" {
		b.WriteString(": " + how)
	}
	if s.Failures > 1 {
		fmt.Fprintf(&b, ", %s in a row since %s", times(uint16(min(s.Failures, math.MaxUint16))), moment(s.FailingSince))
	}
	if s.HasCopy() && s.Copy.Truncated && s.Outcome == Successful {
		b.WriteString("; it goes on past the limit, and was cut")
	}
	if s.HasCopy() && s.Failing() {
		b.WriteString("; there is a last good copy, of " + moment(s.Copy.ConfirmedAt))
	}
	return b.String()
}

// found says what was found.
func (s *Snapshot) found() string {
	switch {
	case s.Challenged && s.Outcome != Successful:
		return "there was a bot challenge in its place"
	case s.Outcome == Successful && s.Status == 304:
		return "it is unchanged"
	case s.Outcome == Successful:
		return "it was served"
	case s.Outcome == SoftNotFound:
		return "there was a web page without any rule in its place"
	case s.Outcome == NotFound:
		return "there is none"
	case s.Outcome == Unavailable, s.Outcome == BrokenRedirect:
		return "it is unavailable"
	case s.Outcome == Forbidden:
		return "access to it is forbidden"
	}
	return "it could not be fetched"
}
