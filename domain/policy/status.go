package policy

// FromStatus makes a Policy of the status alone that answered a request for
// robots.txt (SEMANTICS F): of a 404 that everything is allowed, of a 503 that
// nothing is, by the reading's profile. A 2xx is an empty file, a redirect leads
// nowhere, a 304 confirms nothing, and what is no status is no answer.
func FromStatus(code int, reading Reading) *Policy {
	return FromResponse(Response{Status: code}, reading)
}

// FromResponse makes a Policy of an answer in hand, as if it were the first that
// a request for robots.txt ever got: there is no last good copy, and an origin
// that fails has failed just now. Redirects are not followed. The body, as
// Response describes it, counts where the status has a use for one; its file
// then is one in hand, as in OfCopy.
func FromResponse(response Response, reading Reading) *Policy {
	if response.Status < 100 || response.Status > 999 {
		response.Status = 0
	}
	_, stop := Follow([]Hop{{Status: response.Status}}, response, 0)
	facts := Next(nil, Answer{Response: response, Stop: stop}, Lifetimes{})
	if facts.Outcome == Successful {
		return OfCopy(facts.Copy, reading)
	}
	// Without an origin and a time there is no "asked again from".
	p, _ := Compile(&Snapshot{ // fails for want of a copy's body only
		Outcome:    facts.Outcome,
		Stop:       facts.Stop,
		Status:     facts.Status,
		Challenged: facts.Challenged,
	}, reading, nil)
	return p
}
