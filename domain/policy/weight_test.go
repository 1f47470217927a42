package policy

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// octetsOf returns what an index takes.
func octetsOf(x *index) int {
	n := int(unsafe.Sizeof(*x)) + cap(x.letters)
	if x.trie != nil {
		n += int(unsafe.Sizeof(*x.trie)) + 4*cap(x.trie.slots)
	}
	if g := x.general; g != nil {
		n += int(unsafe.Sizeof(*g)) + 4*cap(g.rules) + 8*cap(g.needs)
		if g := g.grams; g != nil {
			n += int(unsafe.Sizeof(*g)) + 8*cap(g.filter) + 2*cap(g.starts) + 4*cap(g.entries)
		}
	}
	return n
}

// What an index takes is known to a tenth before it is made, whatever kinds of
// rules there are.
func TestWeighIndex(t *testing.T) {
	for _, row := range []struct {
		what    string
		rules   int
		pattern string
	}{
		{"one rule, and no index", 1, "/%d/"},
		{"letters", 2, "/%d/"}, {"letters", 50, "/%d/"}, {"letters", 250, "/%d/"},
		{"letters with wildcards", 100, "/%d/*/a"},
		{"general", 2, "/*%d"}, {"general", 47, "/*%d"},
		{"grams", 48, "/*x%05d"}, {"grams", 66, "/*x%05d"}, {"grams", 250, "/*x%05d"}, {"grams", 2049, "/*x%05d"},
		{"trie", 300, "/%d/"}, {"trie", 5000, "/catalog/item-%d/page/"},
		{"trie and grams", 600, "/%d/*x/y%[1]d"},
		{"odd", 2, "/%d%%2A"}, {"odd", 300, "/%d%%2A"},
	} {
		var file strings.Builder
		file.WriteString("user-agent: *\n")
		for i := range row.rules {
			fmt.Fprintf(&file, "disallow: "+row.pattern+"\n", i*7919%100000)
		}
		r := RulesOf([]byte(file.String()), Reading{})
		want := 0
		if row.rules >= indexFrom {
			want = octetsOf(r.newIndex())
		}
		if got := r.weighIndex(); got < want-want/10 || got > want+want/10 {
			t.Errorf("%s: an index of %d rules is held to take %d octets and takes %d", row.what, row.rules, got, want)
		}
	}
}
