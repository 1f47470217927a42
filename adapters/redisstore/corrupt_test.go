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
	change := func(how func(v value) value) func(*miniredis.Miniredis, string) {
		return func(m *miniredis.Miniredis, key string) {
			stored, _ := m.Get(key)
			changed := how([]byte(stored))
			life := m.TTL(key)
			_ = m.Set(key, string(changed))
			m.SetTTL(key, life)
		}
	}
	flip := func(at func(v value) int) func(*miniredis.Miniredis, string) {
		return change(func(v value) value { v[at(v)] ^= 1; return v })
	}
	foreign := func(m *miniredis.Miniredis, key string) value {
		stored, _ := m.Get(strings.Replace(key, origin.String(), other.String(), 1))
		return []byte(stored)
	}
	for _, row := range []struct {
		name   string
		damage func(m *miniredis.Miniredis, key string)
	}{
		{"a text", change(func(value) value { return []byte("x") })},
		{"a long text", change(func(value) value { return []byte(strings.Repeat("x", 1000)) })},
		{"a list", func(m *miniredis.Miniredis, key string) { m.Del(key); _, _ = m.Push(key, "x") }},
		{"a hash, as it was once", func(m *miniredis.Miniredis, key string) { m.Del(key); m.HSet(key, "r", "x", "h", "x") }},
		{"cut within the revision", change(func(v value) value { return v[:5] })},
		{"no header", change(func(v value) value { return v[:headerStart] })},
		{"cut within the header", change(func(v value) value { return v[:headerStart+9] })},
		{"no body", change(func(v value) value { return v[:end(v)] })},
		{"an empty body", change(func(v value) value { return v[:end(v)+4] })},
		{"cut within the body", change(func(v value) value { return v[:len(v)-1] })},
		{"another version", flip(func(value) int { return 0 })},
		{"another length", flip(func(value) int { return revLength })},
		{"a bit in the header", flip(func(value) int { return headerStart + 8 })},
		{"a bit in the digest", flip(func(v value) int { return end(v) - 1 })},
		{"a bit in the body", flip(func(v value) int { return end(v) + 7 })},
		{"a body of another coding", flip(func(v value) int { return end(v) + 4 })},
		{"the value of another origin", func(m *miniredis.Miniredis, key string) {
			change(func(value) value { return foreign(m, key) })(m, key)
		}},
		{"a body of another origin", func(m *miniredis.Miniredis, key string) {
			change(func(v value) value {
				from := foreign(m, key)
				return append(v[:end(v):end(v)], from[end(from):]...)
			})(m, key)
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
	whole, err := m.Get(store.keys.data(origin))
	if err != nil {
		t.Fatal(err)
	}
	_ = m.Set(store.keys.data(origin), whole[:end([]byte(whole))]+"broken")
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
