package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/bench/fixture"
)

// counting is an engine that notes what it is asked.
func counting(asked map[string]int) Engine {
	return Engine{
		Name:  "counting",
		Parse: func(body []byte) any { return &body },
		Check: func(parsed any, questions []string) (allowed int) {
			for _, question := range questions {
				asked[string(*parsed.(*[]byte))+question]++
			}
			return len(questions)
		},
	}
}

func files(n, questions int) *fixture.Fixture {
	f := &fixture.Fixture{Name: "test"}
	for i := range n {
		file := fixture.File{Body: fmt.Append(nil, i)}
		for j := range questions {
			file.Paths = append(file.Paths, fmt.Sprint("/", j))
		}
		f.Files = append(f.Files, file)
	}
	return f
}

func TestCheckingAsksEveryFileEverythingOnce(t *testing.T) {
	for _, chunk := range []int{1, 3, 10, 11, 40} {
		asked := map[string]int{}
		lane := counting(asked).checking(files(4, 10))
		for at := 0; at < lane.Ops; at += chunk {
			lane.Run(at, min(at+chunk, lane.Ops))
		}
		if lane.Ops != 40 || len(asked) != 40 {
			t.Errorf("%d at a time: %d operations asked %d questions, want 40", chunk, lane.Ops, len(asked))
		}
		for question, times := range asked {
			if times != 1 {
				t.Errorf("%d at a time: %s was asked %d times", chunk, question, times)
			}
		}
	}
}

func TestDoingBothSpreadsTheQuestions(t *testing.T) {
	asked := map[string]int{}
	lane := counting(asked).doingBoth(files(2, 10), 5)
	lane.Run(0, lane.Ops)
	if lane.Ops != 10 || len(asked) != 10 {
		t.Errorf("%d operations asked %d different questions (%v), want 10", lane.Ops, len(asked), asked)
	}
}

func TestAllocsAreCounted(t *testing.T) {
	var sink []byte
	hungry := Engine{Parse: func([]byte) any { sink = make([]byte, 512); return &sink }}
	if got := allocsOf(hungry.parsing(files(3, 1))); got.Count < 1 || got.Count > 1.1 || got.Bytes < 512 || got.Bytes > 600 {
		t.Errorf("an engine that allocates 512 bytes at once: %+v", got)
	}
	frugal := Engine{Parse: func([]byte) any { return nil }}
	if got := allocsOf(frugal.parsing(files(3, 1))); got.Count != 0 {
		t.Errorf("an engine that allocates nothing: %+v", got)
	}
}

func TestRetainedAndHeldBodies(t *testing.T) {
	f := &fixture.Fixture{Files: []fixture.File{{Body: bytes.Repeat([]byte("x"), 4096), Paths: []string{"/"}}}}
	none := func(any, []string) int { return 0 }
	tests := []struct {
		name  string
		parse func([]byte) any
		least float64
		most  float64
		held  bool
	}{
		{"keeps nothing", func([]byte) any { return new([16]byte) }, 16, 64, false},
		{"keeps a copy", func(body []byte) any { s := bytes.Clone(body); return &s }, 4096, 4200, false},
		{"keeps a part, and with it the body", func(body []byte) any { s := body[100:110]; return &s }, 4096, 4200, true},
	}
	for _, tt := range tests {
		e := Engine{Name: tt.name, Parse: tt.parse, Check: none}
		if got := retained(e, f); got < tt.least || got > tt.most {
			t.Errorf("%s: retained %v, want %v to %v", tt.name, got, tt.least, tt.most)
		}
		if got := holdsBody(e, &f.Files[0]); got != tt.held {
			t.Errorf("%s: body held is %t", tt.name, got)
		}
	}
}

// The engines answer the questions that the fixtures are made for, we twice the
// same.
func TestEnginesAnswer(t *testing.T) {
	ours, err := newOurs()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{ours: ours, peers: peers()}
	for _, name := range []string{"tiny", "common", "groups"} {
		f := b.shape(name)
		for _, peer := range b.peers {
			a := b.agreement(f, peer)
			if a.Itself != 0 {
				t.Errorf("%s: Rules.Match and Policy.Decide differ %d times", name, a.Itself)
			}
			if a.Allowed < a.Questions/4 || a.Allowed > a.Questions*9/10 {
				t.Errorf("%s: %d of %d allowed: no mix of hits and misses", name, a.Allowed, a.Questions)
			}
			if a.OnlyWe+a.OnlyThey > a.Questions/20 {
				t.Errorf("%s: %s answers %d questions otherwise", name, peer.Name, a.OnlyWe+a.OnlyThey)
			}
		}
	}
}

func TestConcernCountsOurRulesOnly(t *testing.T) {
	ours, err := newOurs()
	if err != nil {
		t.Fatal(err)
	}
	const body = `User-agent: *
Disallow: /everybody
User-agent: politebot
Disallow: /a # comment
Allow: /bc
Sitemap: /s.xml
User-agent: other
Disallow: /other
`
	rules, lines, sitemaps := ours.concern([]byte(body))
	if rules != 2 || lines != len("Disallow: /a")+len("Allow: /bc") || sitemaps != len("/s.xml") {
		t.Errorf("%d rules of %d octets, sitemaps of %d", rules, lines, sitemaps)
	}
	if rules, _, _ = ours.concern([]byte(strings.ReplaceAll(body, "politebot", "another"))); rules != 1 {
		t.Errorf("%d rules for everybody, want 1", rules)
	}
}
