package robots_test

import (
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/robots"
)

// The whole File of every real file, beside what a crawler takes: the rules of
// one agent straight from the octets. It should be at least a third as fast.
func BenchmarkCorpus(b *testing.B) {
	files := realFiles(b)
	total := 0
	for _, body := range files {
		total += len(body)
	}
	token, err := agent.ParseToken("FooBot")
	if err != nil {
		b.Fatal(err)
	}
	reading := policy.Reading{Agents: agent.NewIdentity(token)}
	bench := func(name string, parse func([]byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(total))
			b.ReportAllocs()
			for b.Loop() {
				for _, body := range files {
					parse(body)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(files)), "ns/file")
		})
	}
	bench("RulesOf", func(body []byte) { policy.RulesOf(body, reading) })
	bench("Parse", func(body []byte) { robots.Parse(body, robots.Options{}) })
}
