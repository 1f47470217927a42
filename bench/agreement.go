package main

import (
	"fmt"

	"github.com/polite-crawler/polite/bench/fixture"
)

// Agreement is how often a peer answers what we answer: who is fast and wrong has
// won nothing.
type Agreement struct {
	Fixture   *fixture.Fixture
	Peer      string
	Questions int
	OnlyWe    int // allow
	OnlyThey  int // allow
	Allowed   int // by us
	Refused   int // files that the peer cannot read; they are left out of everything else
	Itself    int // questions that Rules.Match and Policy.Decide answer differently: a fault of ours or of the benchmark
}

// agreement asks a peer and us everything. It is given the fixture with the files
// that the peer refuses.
func (b *bench) agreement(f *fixture.Fixture, peer Engine) Agreement {
	a := Agreement{Fixture: f, Peer: peer.Name}
	match, decide := b.ours.rules(), b.ours.policy()
	for i := range f.Files {
		file := &f.Files[i]
		theirs := peer.Parse(file.Body)
		if theirs == nil {
			a.Refused++
			continue
		}
		rules, policy := match.Parse(file.Body), decide.Parse(file.Body)
		for j, path := range file.Paths {
			a.Questions++
			we := match.Check(rules, file.Paths[j:j+1])
			they := peer.Check(theirs, file.Paths[j:j+1])
			a.Allowed += we
			switch {
			case we > they:
				a.OnlyWe++
			case we < they:
				a.OnlyThey++
			}
			if we != they && b.differences {
				b.log(fmt.Sprintf("    %s: %q: %s says %t", file.Name, path, peer.Name, they > 0))
			}
			if path != "/robots.txt" && we != decide.Check(policy, file.URLs[j:j+1]) {
				a.Itself++
			}
		}
	}
	return a
}
