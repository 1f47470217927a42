package robots_test

import (
	"slices"
	"testing"

	"github.com/polite-crawler/polite/domain/robots"
)

const manyRecords = `Host: first.example
Crawl-Delay: 9
User-agent: a
Crawl-delay: 1
User-agent: b
crawl-delay: 2
Noindex: /n
Disallow: /x
Allow: /y
Disallow: /z
X-Flag: one
Sitemap: /s
x-flag: two
Sitemap:
Sitemap: /s
noindex:
`

// P9: values by key, without regard to case, as written and in order.
func TestRecords(t *testing.T) {
	file := robots.Parse([]byte(manyRecords), robots.Options{})
	group := &file.Groups[0]
	for _, row := range []struct {
		key           string
		group, global []string
	}{
		{"crawl-delay", []string{"1", "2"}, nil},
		{"NoIndex", []string{"/n", ""}, nil},
		{"Disallow", []string{"/x", "/z"}, nil},
		{"allow", []string{"/y"}, nil},
		{"X-FLAG", nil, []string{"one", "two"}},
		{"sitemap", nil, []string{"/s", "", "/s"}},
		{"host", nil, []string{"first.example"}},
		{"x-fla", nil, nil},
		{"user-agent", nil, nil},
		{"", nil, nil},
	} {
		if got := slices.Collect(group.Values(row.key)); !slices.Equal(got, row.group) {
			t.Errorf("P9: the group's values of %q are %q, want %q", row.key, got, row.group)
		}
		if got := slices.Collect(file.Global().Values(row.key)); !slices.Equal(got, row.global) {
			t.Errorf("P9: the file's values of %q are %q, want %q", row.key, got, row.global)
		}
		for want, value := range map[*[]string]func(string) (string, bool){&row.group: group.Value, &row.global: file.Global().Value} {
			if got, ok := value(row.key); ok != (len(*want) > 0) || ok && got != (*want)[0] {
				t.Errorf("P9: the first value of %q is %q (%v), want the first of %q", row.key, got, ok, *want)
			}
		}
	}
}

// P9: a Crawl-delay above all user-agent lines is kept, and concerns nobody.
func TestGlobal(t *testing.T) {
	file := robots.Parse([]byte(manyRecords), robots.Options{})
	if len(file.Records) != 7 || len(file.Global()) != 6 {
		t.Errorf("%d records, %d of them global", len(file.Records), len(file.Global()))
	}
	file = robots.Parse([]byte("visit-time: 0000-0100\nnoindex: /\nrequest-rate: 1/1\n"), robots.Options{})
	if got := file.Global(); len(got) != 1 || got[0].Kind != robots.Noindex {
		t.Errorf("%+v", got)
	}
	if got := new(robots.File).Global(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// P9: a record concerns the user-agent lines that it stands behind.
func TestRecordsOf(t *testing.T) {
	file := robots.Parse([]byte("user-agent: a\ncrawl-delay: 1\nuser-agent: b\nuser-agent: c\ncrawl-delay: 2\nnoindex: /\nuser-agent: d\n"), robots.Options{})
	group := &file.Groups[0]
	for i, want := range [][]string{{"1", "2"}, {"2"}, {"2"}, nil} {
		if got := slices.Collect(group.RecordsOf(i).Values("crawl-delay")); !slices.Equal(got, want) {
			t.Errorf("the delays of %s are %q, want %q", group.Agents[i].Value, got, want)
		}
	}
}
