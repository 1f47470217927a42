package policy

import "fmt"

// An Attempt is how the last attempt to fetch a robots.txt ended, in as little
// room as a Decision has.
type Attempt struct {
	Status  uint16 // of the last answer, 0: none came
	Hops    uint16 // redirects followed
	Outcome Outcome
	Failure Failure // why no whole answer came
	Stop    Stop    // why a redirect was not followed
}

// String says how it ended, to follow on "robots.txt …: "; "" if there is
// nothing to say. It holds nothing of what the origin sent.
func (a Attempt) String() string {
	switch {
	case a.Outcome == Unknown:
		return "nothing is known about it yet"
	case a.Failure != NoFailure:
		return a.failure()
	case a.Stop == StopTooMany:
		return fmt.Sprintf("it is redirected more than %s", times(a.Hops))
	case a.Stop == StopLoop:
		return "it is redirected in a loop"
	case a.Stop == StopLocation:
		return "it is redirected without saying where to, or to what is no URL"
	case a.Stop == StopScheme:
		return "it is redirected to another scheme than http and https"
	case a.Status != 0:
		return fmt.Sprintf("the answer is %d", a.Status) + a.behind()
	case a.Outcome == Unreachable:
		return "the answer has no status that HTTP knows" + a.behind()
	}
	return ""
}

func (a Attempt) failure() string {
	if int(a.Failure) >= len(failureWords) {
		return "it failed in a way that this version does not know"
	}
	words := failureWords[a.Failure]
	if a.Status != 0 {
		words += fmt.Sprintf(" (status %d)", a.Status)
	}
	return words + a.behind()
}

// behind says how far from the start it ended.
func (a Attempt) behind() string {
	if a.Hops == 0 {
		return ""
	}
	return fmt.Sprintf(" after %s", counted(a.Hops, "redirect"))
}

// failureWords say what the kinds of Failure are.
var failureWords = [...]string{
	NoFailure:      "",
	FailedDNS:      "its host name has no address",
	FailedConnect:  "the connection was refused or broken off",
	FailedTLS:      "TLS failed: the handshake, or the certificate",
	FailedTimeout:  "there was no whole answer in time",
	FailedProtocol: "the answer is not HTTP, or its header too long",
	FailedBody:     "the answer broke off",
	FailedCoding:   "the answer's content coding is unknown or corrupt",
	RefusedAddress: "it leads to an address that is private, loopback or link-local",
	FailedLocally:  "this worker could not ask, perhaps by a fault of its own",
}

func times(n uint16) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func counted(n uint16, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
