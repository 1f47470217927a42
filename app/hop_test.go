package app

import (
	"testing"
	"time"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Of what was observed nothing is kept: trails are as large as the network
// makes them.
func TestObserversKeepNothing(t *testing.T) {
	origin, err := site.ParseOrigin("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	var all observers
	at := time.Now()
	made, facts := &trail{at: at}, &policy.Snapshot{FetchedAt: at}
	all.tell(origin, made) // to nobody

	first, removeFirst := all.add(origin)
	second, removeSecond := all.add(origin)
	if all.trailOf(first, facts) != nil {
		t.Error("the first has seen what was made before it came")
	}
	all.tell(origin, made)
	removeFirst()
	later := &trail{at: at.Add(time.Second)}
	all.tell(origin, later)
	if all.trailOf(first, facts) != made || all.trailOf(second, facts) != nil ||
		all.trailOf(second, &policy.Snapshot{FetchedAt: later.at}) != later {
		t.Error("each should have seen the last trail of its time, and know whose it is")
	}
	removeSecond()
	removeSecond()
	if len(all.of) != 0 {
		t.Errorf("%d origins are still observed", len(all.of))
	}
}
