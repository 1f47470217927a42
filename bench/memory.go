package main

import (
	"bytes"
	"runtime"
	"weak"

	"github.com/polite-crawler/polite/bench/fixture"
)

// Memory is what is retained of a file, on average, in bytes.
type Memory struct {
	Fixture  *fixture.Fixture
	Rules    int
	Allowed  float64            // 512 B, 32 B a rule, and the rules' lines
	Sitemaps float64            // the octets of the sitemaps, which are kept too
	Retained map[string]float64 // by engine
	Says     float64            // Policy.Size
	Held     []string           // files whose bodies are kept alive
}

func (b *bench) memory(f *fixture.Fixture) Memory {
	policy := b.ours.policy()
	m := Memory{Fixture: f, Retained: map[string]float64{}}
	files := float64(len(f.Files))
	for i := range f.Files {
		file := &f.Files[i]
		rules, lines, sitemaps := b.ours.concern(file.Body)
		m.Rules += rules
		m.Allowed += float64(512+32*rules+lines) / files
		m.Sitemaps += float64(sitemaps) / files
		parsed := policy.Parse(file.Body)
		policy.Check(parsed, file.URLs)
		m.Says += float64(b.ours.size(parsed)) / files
		if holdsBody(policy, file) {
			m.Held = append(m.Held, file.Name)
		}
	}
	m.Rules /= len(f.Files)
	for _, e := range append([]Engine{policy}, b.peers...) {
		m.Retained[e.Name] = retained(e, f)
	}
	return m
}

// retained returns what an engine keeps of a file, with the index that answers
// have built, if there is one. Each copy is made from a body of its own, which
// counts if any of it is kept.
func retained(e Engine, f *fixture.Fixture) float64 {
	copies := min(max(8, 256<<10/(1+f.Bytes())), 500)
	if len(f.Files) > 1 {
		copies = 1 // many files, many sizes: their mean is what is asked for
	}
	keep := make([]any, copies*len(f.Files))
	before := heap()
	for i := range keep {
		file := &f.Files[i%len(f.Files)]
		keep[i] = e.Parse(bytes.Clone(file.Body))
		if e.Lazy {
			e.Check(keep[i], e.questions(file))
		}
	}
	after := heap()
	runtime.KeepAlive(keep)
	return (after - before) / float64(len(keep))
}

// heap returns how much of the heap is in use. Three collections empty what
// sync.Pools hold.
func heap() float64 {
	for range 3 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// holdsBody reports whether what an engine makes of a file keeps the body alive.
func holdsBody(e Engine, f *fixture.File) bool {
	if len(f.Body) < 64 { // tiny objects share blocks
		return false
	}
	body := bytes.Clone(f.Body)
	watched := weak.Make(&body[0])
	parsed := e.Parse(body)
	e.Check(parsed, e.questions(f)[:1])
	body = nil
	heap()
	held := watched.Value() != nil
	runtime.KeepAlive(parsed)
	return held
}
