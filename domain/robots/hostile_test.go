package robots

import (
	"runtime"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
)

// P1: memory is linear in the input, whatever it holds: an eighth of it takes at
// least a sixteenth, with what slices grow by.
func TestMemoryIsLinear(t *testing.T) {
	id, err := agent.ParseTokens("a")
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(text []byte, options Options) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file := Parse(text, options)
		Format(Filter(file, id, FilterOptions{Fallback: true, As: "*"}))
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, piece := range []string{
		"\n", "\r", "\r\n", "#\n", "a\n", ":\n", "a:\n", "allow\n", "allow:\n", "user-agent:\n", "user-agent:a\n", "user-agent:a\nallow:\n", "user-agent:*\nallow:/\n",
		"user-agent:a\ncrawl-delay:1\n", "crawl-delay:1\n", "sitemap:\n", " a\n", "\ta: b\n", "allow: *%2a*\n", "x", " ", "*", "%", "\xEF\xBB\xBF", "\x00",
	} {
		for _, options := range []Options{
			{}, {Dialect: Google()}, {Dialect: Legacy().With(LineContinuation, KeepTrailingSpace)}, {Limits: Untrusted()},
			{Dialect: Default().With(EscapedWildcard), Limits: Limits{Groups: 1, GroupLines: 1, Agents: 1, KeyBytes: 10, NameBytes: 1, ValueBytes: 1, Wildcards: 1}},
		} {
			for _, start := range []string{"", "user-agent: a\n", "user-agent: a\nallow:"} {
				small := []byte(start + strings.Repeat(piece, 8<<10/len(piece)))
				large := []byte(start + strings.Repeat(piece, 64<<10/len(piece)))
				least, most := allocated(small, options), allocated(large, options)
				if most > 16*least+1<<18 {
					t.Errorf("%q by %v and %+v: %d octets take %d, %d take %d", start+piece, options.Dialect, options.Limits, len(small), least, len(large), most)
				}
				if most > 150*uint64(len(large)) {
					t.Errorf("%q by %v and %+v: %d octets take %d", start+piece, options.Dialect, options.Limits, len(large), most)
				}
			}
		}
	}
}
