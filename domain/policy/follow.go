package policy

// A Stop says why a redirect was not followed.
type Stop uint8

// The reasons to stop.
const (
	Followed     Stop = iota // nothing stopped: the last exchange is the answer
	StopTooMany              // F5: more redirects than allowed
	StopLoop                 // F5: the target was asked already
	StopLocation             // F5: no Location, or not a URL
	StopScheme               // F6: a scheme other than http or https
	StopPrivate              // F6: from a public to a private address
)
