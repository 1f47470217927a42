package agent

import "strings"

// MatchPattern reports whether an identification string, the value of a
// crawler's User-Agent header, is one that the value of a user-agent line
// describes where that is an expression (A4): '*' is any text, case means
// nothing, and what follows the end of the expression is free. "Mozilla*FooBot"
// describes "Mozilla/5.0 (compatible; foobot/2.1)". An empty value describes
// nobody.
func MatchPattern(value, identification string) bool {
	if value == "" {
		return false
	}
	head, rest, _ := strings.Cut(value, "*")
	if len(head) > len(identification) || !equalFold(head, identification[:len(head)]) {
		return false
	}
	identification = identification[len(head):]
	// Each stretch is taken at its first place, which leaves the most for the
	// next: there is nothing to go back for.
	for stretch := range strings.SplitSeq(rest, "*") {
		at := indexFold(identification, stretch)
		if at < 0 {
			return false
		}
		identification = identification[at+len(stretch):]
	}
	return true
}
