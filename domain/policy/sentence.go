package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// String says in one sentence what was decided and why. It quotes what comes
// from the network, so that it is safe to print.
func (d Decision) String() string {
	var b strings.Builder
	b.WriteString(d.Answer())
	b.WriteString(": ")
	b.WriteString(d.because())
	if d.Stale {
		fmt.Fprintf(&b, "; this is the last good copy, of %s, as the origin gives no newer answer", moment(d.FetchedAt))
		if d.Attempt.Outcome > Successful {
			b.WriteString(d.ended())
		}
	}
	if d.Limited && d.Chosen != ChosenTooLongUnreachable {
		b.WriteString("; the file is longer than the parsing limit, what was cut may say otherwise")
	}
	if d.Delay.Source != NoDelay {
		fmt.Fprintf(&b, "; line %d asks for %s between requests", d.Delay.Line, d.Delay.Interval)
	}
	switch chosen := d.Chosen != ChosenNothing; {
	case d.Profile != RFC && chosen:
		fmt.Fprintf(&b, " (profile %s, %s)", d.Profile, d.Chosen)
	case d.Profile != RFC:
		fmt.Fprintf(&b, " (profile %s)", d.Profile)
	case chosen:
		fmt.Fprintf(&b, " (%s)", d.Chosen)
	}
	return b.String()
}

// Answer returns "allowed" or "disallowed".
func (d Decision) Answer() string {
	if d.Allowed {
		return "allowed"
	}
	return "disallowed"
}

// because says why, given the answer.
func (d *Decision) because() string {
	where := "robots.txt"
	if !d.Origin.IsZero() {
		where = d.Origin.RobotsURL()
	}
	switch d.Reason {
	case ReasonRule:
		return fmt.Sprintf("line %d of %s, %s, is the most specific match for %s", d.Rule.Line, where, quote(d.Rule.Text), d.group())
	case ReasonNoRule:
		return fmt.Sprintf("no rule of %s matches %s", where, d.group())
	case ReasonNoGroup:
		return fmt.Sprintf("no group of %s concerns this crawler", where)
	case ReasonRobotsTxt:
		return "robots.txt itself may always be fetched"
	case ReasonEmpty:
		return where + " is empty"
	case ReasonSoft404:
		return where + " is a web page without any rule"
	case ReasonUnavailable:
		if d.Chosen == ChosenLongUnavailable {
			return where + " has been unreachable for so long that it counts as unavailable" + d.ended() + d.until("tried again")
		}
		return where + " is unavailable" + d.ended() + d.until("asked again")
	case ReasonForbidden:
		return "access to " + where + " is forbidden" + d.ended() + d.until("asked again")
	case ReasonUnreachable:
		if d.Chosen == ChosenTooLongUnreachable && d.Attempt.Outcome == Successful {
			return where + " is longer than the parsing limit and counts as unreachable" + d.until("asked again")
		}
		return where + " could not be fetched" + d.ended() + d.until("tried again")
	case ReasonChallenged:
		return where + " answers with a bot challenge" + d.ended() + d.until("tried again")
	}
	return "nothing was decided"
}

func (d *Decision) group() string {
	return fmt.Sprintf("the group of %s (line %d, %s)", quote("User-agent: "+d.Group.Agent), d.Group.Line, d.Group.Specificity)
}

// ended says how the last attempt did.
func (d *Decision) ended() string {
	if how := d.Attempt.String(); how != "" {
		return ": " + how
	}
	return ""
}

func (d *Decision) until(what string) string {
	if d.ExpiresAt.IsZero() {
		return ""
	}
	return fmt.Sprintf(", it is %s from %s on", what, moment(d.ExpiresAt))
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// quote makes text from the network safe to print, and short.
func quote(text string) string {
	const limit = 300
	if len(text) > limit {
		return strconv.QuoteToASCII(text[:limit]) + "…"
	}
	return strconv.Quote(text)
}
