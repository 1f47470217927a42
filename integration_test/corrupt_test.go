package integration_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// SEMANTICS C7: whatever stands in Redis instead of what was put there, it is
// replaced, and the answers are right.
func TestCorruptValuesAreReplaced(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, fleet *fleet, key string){
		"a short text": func(t *testing.T, fleet *fleet, key string) {
			fleet.must(t, fleet.raw.Set(t.Context(), key, "garbage", redis.KeepTTL).Err())
		},
		"a text longer than a header": func(t *testing.T, fleet *fleet, key string) {
			fleet.must(t, fleet.raw.Set(t.Context(), key, strings.Repeat("garbage", 100), redis.KeepTTL).Err())
		},
		"a hash instead of a text": func(t *testing.T, fleet *fleet, key string) {
			fleet.must(t, fleet.raw.Del(t.Context(), key).Err())
			fleet.must(t, fleet.raw.HSet(t.Context(), key, "garbage", "garbage").Err())
		},
		"another version": func(t *testing.T, fleet *fleet, key string) {
			fleet.must(t, fleet.raw.SetRange(t.Context(), key, 0, "\x7f").Err())
		},
		"a header of garbage": func(t *testing.T, fleet *fleet, key string) {
			fleet.must(t, fleet.raw.SetRange(t.Context(), key, 20, "garbage").Err())
		},
		"a body that allows all": func(t *testing.T, fleet *fleet, key string) {
			value := fleet.raw.Get(t.Context(), key).Val()
			allowing := "\x00User-agent: *\nAllow: /\n"
			fleet.must(t, fleet.raw.SetRange(t.Context(), key, int64(len(value)-len(allowing)), allowing).Err())
		},
		"no body": func(t *testing.T, fleet *fleet, key string) {
			value := fleet.raw.Get(t.Context(), key).Val()
			fleet.must(t, fleet.raw.Set(t.Context(), key, value[:len(value)-20], redis.KeepTTL).Err())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A fleet each: an origin may have the port of one that is gone.
			fleet, o := newFleet(t), newOrigin(t)
			key := fleet.data(t, o)
			first, _ := openGate(t, fleet.spec())
			wantRight(t, []*origin{o}, round{URLs: urls(o)}.run(t.Context(), first))
			wantAsked(t, 1, 1, o)
			whole := fleet.dump(t, key)
			damage(t, fleet, key)
			damaged := fleet.dump(t, key)
			if whole == "" || damaged == "" || damaged == whole {
				t.Fatalf("%q became %q: nothing was damaged, this test proves nothing", whole, damaged)
			}

			second, _ := openGate(t, fleet.spec())
			third, _ := openGate(t, fleet.spec())
			wantSame(t, []*origin{o},
				round{URLs: urls(o), Askers: 5}.run(t.Context(), second),
				round{URLs: urls(o), Askers: 5}.run(t.Context(), third)) // finds what the second has put there
			wantAsked(t, 2, 2, o)
			if fleet.dump(t, key) == damaged {
				t.Errorf("what was damaged is still there")
			}
		})
	}
}

// dump is what a key holds, in Redis' own form.
func (f *fleet) dump(t *testing.T, key string) string {
	t.Helper()
	dump, err := f.raw.Dump(t.Context(), key).Result()
	f.must(t, err)
	return dump
}

func (f *fleet) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("Redis: %v", err)
	}
}
