package redisstore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// SEMANTICS C7: what cannot be decoded is a miss, whatever part of it is broken,
// and is replaced by the next Put.
func TestCorruptValuesAreMisses(t *testing.T) {
	const text = "User-agent: *\nDisallow: /\n"
	other := parseOrigin("https://other.example")
	flip := func(m *miniredis.Miniredis, key, field string, at int) {
		octets := []byte(m.HGet(key, field))
		octets[(at+len(octets))%len(octets)] ^= 1
		m.HSet(key, field, string(octets))
	}
	for _, row := range []struct {
		name   string
		damage func(m *miniredis.Miniredis, key string)
	}{
		{"a text instead of a hash", func(m *miniredis.Miniredis, key string) { m.Del(key); _ = m.Set(key, "x") }},
		{"a list instead of a hash", func(m *miniredis.Miniredis, key string) { m.Del(key); _, _ = m.Push(key, "x") }},
		{"other fields", func(m *miniredis.Miniredis, key string) {
			m.Del(key)
			m.HSet(key, "body", "x")
			m.HSet(key, fieldBody, "x")
		}},
		{"no revision", func(m *miniredis.Miniredis, key string) { m.HDel(key, fieldRevision) }},
		{"no header", func(m *miniredis.Miniredis, key string) { m.HDel(key, fieldHeader) }},
		{"no digest", func(m *miniredis.Miniredis, key string) { m.HDel(key, fieldDigest) }},
		{"no body", func(m *miniredis.Miniredis, key string) { m.HDel(key, fieldBody) }},
		{"an empty header", func(m *miniredis.Miniredis, key string) { m.HSet(key, fieldHeader, "") }},
		{"an empty digest", func(m *miniredis.Miniredis, key string) { m.HSet(key, fieldDigest, "") }},
		{"an empty body", func(m *miniredis.Miniredis, key string) { m.HSet(key, fieldBody, "") }},
		{"another version", func(m *miniredis.Miniredis, key string) { flip(m, key, fieldHeader, 0) }},
		{"a bit in the header", func(m *miniredis.Miniredis, key string) { flip(m, key, fieldHeader, 8) }},
		{"a bit in the digest", func(m *miniredis.Miniredis, key string) { flip(m, key, fieldDigest, 8) }},
		{"a bit in the body", func(m *miniredis.Miniredis, key string) { flip(m, key, fieldBody, -3) }},
		{"a body of another coding", func(m *miniredis.Miniredis, key string) { flip(m, key, fieldBody, 0) }},
		{"a header of another origin", func(m *miniredis.Miniredis, key string) {
			m.HSet(key, fieldHeader, m.HGet(strings.Replace(key, origin.String(), other.String(), 1), fieldHeader))
		}},
		{"a body of another origin", func(m *miniredis.Miniredis, key string) {
			m.HSet(key, fieldBody, m.HGet(strings.Replace(key, origin.String(), other.String(), 1), fieldBody))
		}},
	} {
		for _, content := range []string{text, strings.Repeat(text, 100)} {
			t.Run(row.name, func(t *testing.T) {
				m := serve(t)
				var faults []error
				store := connect(t, urlOf(m), Options{OnCorrupt: func(about site.Origin, err error) {
					if about != origin {
						t.Errorf("OnCorrupt is told about %s, want %s", about, origin)
					}
					faults = append(faults, err)
				}})
				elsewhere := succeeded([]byte(content + "# other\n"))
				elsewhere.Origin = other
				put(t, store, elsewhere)
				put(t, store, succeeded([]byte(content)))
				if !get(t, store).Known() || len(faults) > 0 {
					t.Fatalf("nothing is broken yet, and it is not read: %v", faults)
				}
				row.damage(m, store.keys.data(origin))

				s := get(t, store)
				if s.Known() || s.HasCopy() || s.Origin != origin {
					t.Errorf("Get of a corrupt value: %+v, want nothing known", s)
				}
				if len(faults) != 1 || !errors.Is(faults[0], errCorrupt) {
					t.Errorf("OnCorrupt was told %v, want one fault", faults)
				}
				next := succeeded([]byte("# new"))
				next.Rev = s.Rev
				put(t, store, next)
				if s := get(t, store); !s.Known() || string(s.Copy.Body) != "# new" {
					t.Errorf("after a Put there is %+v, want what was put", s)
				}
				if m.TTL(store.keys.data(origin)) <= 0 {
					t.Errorf("what replaces a corrupt value has no end")
				}
			})
		}
	}
}

// Nobody need listen, and what is at hand need not be read to be right.
func TestCorruptBodyThatIsAtHand(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{})
	s := succeeded([]byte(body))
	put(t, store, s)
	m.HSet(store.keys.data(origin), fieldBody, "broken")
	if got := get(t, store); got.Known() {
		t.Errorf("Get of a corrupt body: %+v, want nothing known", got)
	}
	got, err := store.Get(t.Context(), origin, s.Copy.Hash)
	if err != nil || !got.Known() || got.Copy.Body != nil {
		t.Errorf("Get of what is at hand: %+v, %v, want it without body", got, err)
	}
}

// A key that somebody took the end of has no age; the writer's clock is what is
// left.
func TestAKeyWithoutEnd(t *testing.T) {
	m := serve(t)
	store := connect(t, urlOf(m), Options{now: func() time.Time { return wall.Add(time.Minute) }})
	put(t, store, succeeded([]byte(body)))
	if err := store.client.Persist(t.Context(), store.keys.data(origin)).Err(); err != nil {
		t.Fatalf("PERSIST: %v", err)
	}
	got, err := store.Get(t.Context(), origin, policy.Hash{})
	if err != nil || !got.FetchedAt.Equal(wall) {
		t.Errorf("Get: fetched at %v, %v, want %v", got.FetchedAt, err, wall)
	}
}
