package policy

import (
	"time"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/robots"
	"github.com/polite-crawler/polite/domain/site"
)

// A Decision answers "may I fetch this URL?" and says why (M7). It is a value;
// its strings point into the policy that made it and come from the network:
// quote them before printing, as String does.
type Decision struct {
	Allowed bool
	Stale   bool // by a copy whose time is over, as the origin gives no newer answer
	Limited bool // the file was longer than the parsing limit: what was cut may have said otherwise

	Reason  Reason
	Access  Access
	Profile Profile
	Chosen  Chosen      // the choice without which it would be another
	Attempt Attempt     // how the last attempt to fetch robots.txt ended; of a file in hand, successful
	Rule    robots.Rule // that decided; zero: none did
	Group   Group       // of the deciding rule, else the first consulted
	Delay   Delay       // that the file asks of us

	Origin    site.Origin
	Hash      Hash      // of the robots.txt that decided; zero: none did
	FetchedAt time.Time // when the origin last said what decided; zero when offline
	ExpiresAt time.Time // until when the Decision holds; zero when offline
}

// A Group is the group that was consulted.
type Group struct {
	Agent       string // the user-agent line's value, as written
	Line        int    // of that user-agent line, from 1; 0: no group concerns the crawler
	Specificity agent.Specificity
}

// A Delay is a pause between requests that robots.txt asks for.
type Delay struct {
	Interval time.Duration
	Source   DelaySource
	Line     int // from 1
}

// A DelaySource is where a Delay comes from.
type DelaySource uint8

// The sources of a Delay.
const (
	NoDelay    DelaySource = iota // none was asked for
	CrawlDelay                    // a Crawl-delay record
)

// A Reason is why a Decision is as it is.
type Reason uint8

// The reasons.
const (
	ReasonNone        Reason = iota // there is no Decision
	ReasonRule                      // a rule matched
	ReasonNoRule                    // a group concerns the crawler, none of its rules matched
	ReasonNoGroup                   // no group concerns the crawler
	ReasonRobotsTxt                 // robots.txt itself is always allowed (RFC 9309 §2.2.2)
	ReasonEmpty                     // the file says nothing
	ReasonSoft404                   // a page of HTML instead of a robots.txt
	ReasonUnavailable               // there is no robots.txt (§2.3.1.3)
	ReasonForbidden                 // robots.txt itself is forbidden: 401, 402, 403
	ReasonUnreachable               // the origin could not be asked (§2.3.1.4)
	ReasonChallenged                // a bot challenge instead of an answer
)

var reasonNames = [...]string{
	"none", "rule", "no-rule", "no-group", "robots-txt", "empty", "soft-404", "unavailable", "forbidden", "unreachable",
	"challenged",
}

func (r Reason) String() string { return name(reasonNames[:], int(r)) }

// MarshalText writes the name.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
