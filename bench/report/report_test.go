package report

import (
	"math"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	tests := []struct {
		bar  Bar
		want string
	}{
		{Bar{Figure: 80, Goal: 80}, "met"},
		{Bar{Figure: 68, Goal: 80}, "met within 0.85"},
		{Bar{Figure: 67, Goal: 80}, "MISSED: 0.84 of it"},
		{Bar{Figure: 130, Goal: 130, Most: true}, "met"},
		{Bar{Figure: 150, Goal: 130, Most: true}, "met within 0.85"},
		{Bar{Figure: 260, Goal: 130, Most: true}, "MISSED: 0.5 of it"},
		{Bar{Figure: 5, Goal: 4, Most: true, Exact: true}, "MISSED: 0.8 of it"},
		{Bar{Figure: 4.4, Goal: 4, Most: true, Exact: true}, "MISSED: 0.91 of it"},
		{Bar{Figure: 0, Goal: 0, Most: true, Exact: true}, "met"},
		{Bar{Figure: 1, Goal: 0, Most: true, Exact: true}, "MISSED: 0 of it"},
		{Bar{Figure: math.NaN(), Goal: 0, Most: true}, "not measured"},
		{Bar{Figure: math.NaN(), Goal: 80}, "not measured"},
	}
	for _, tt := range tests {
		if got := tt.bar.Verdict(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.bar, got, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 4: "4", 0.04: "0.04", 1.84: "1.84", 9.96: "9.96", 99.94: "99.9", 123.4: "123", 999.6: "1,000", 1234567: "1,234,567", 100000: "100,000",
	} {
		if got := Number(f); got != want {
			t.Errorf("Number(%v) = %s, want %s", f, got, want)
		}
	}
	if got := Number(math.NaN()); got != "–" {
		t.Errorf("Number(NaN) = %s", got)
	}
}

func TestTable(t *testing.T) {
	table := Table{{"fixture", "ns", Words + "note"}}
	table.Row("tiny", "1", "ä")
	table.Row("x", "1,000", "long")
	var b strings.Builder
	table.Write(&b)
	const want = `| fixture |    ns | note |
|---------|------:|------|
| tiny    |     1 | ä    |
| x       | 1,000 | long |

`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestReplacePartLeavesTheRest(t *testing.T) {
	part := Part{"bench", "make bench"}
	begin, end := part.begin(), part.end()
	document, err := part.replace("before\n"+begin+"\nold\n"+end+"\nafter\n", "\nnew\n")
	if want := "before\n" + begin + "\n\nnew\n\n" + end + "\nafter\n"; err != nil || document != want {
		t.Errorf("got %q, %v; want %q", document, err, want)
	}
	again, err := part.replace(document, "new")
	if err != nil || again != document {
		t.Errorf("a second time: %q, %v", again, err)
	}
	for _, broken := range []string{"", begin, end + begin} {
		if got, err := part.replace(broken, "new"); err == nil {
			t.Errorf("%q became %q: what is there would be lost", broken, got)
		}
	}
}
