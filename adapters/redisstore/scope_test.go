package redisstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

const forTwo = "User-agent: Other\nDisallow: /o\n\nUser-agent: FooBot\nDisallow: /f # why\nSitemap: /s\n"

func scopeOf(t *testing.T, tokens ...string) policy.Scope {
	t.Helper()
	agents, err := agent.ParseTokens(tokens...)
	if err != nil {
		t.Fatal(err)
	}
	return policy.Scope{Agents: agents}
}

// SEMANTICS C8: a store for some crawlers keeps what concerns them, in its place,
// and the hash of the whole; its agents are in the prefix (C9).
func TestAStoreForSome(t *testing.T) {
	m := serve(t)
	scope := scopeOf(t, "FooBot")
	store := connect(t, urlOf(m), Options{Prefix: "fleet", Scope: scope})
	whole := succeeded([]byte(forTwo))
	whole.Rev = put(t, store, whole)
	got := get(t, store)
	if string(got.Copy.Body) != "\n\n\nUser-agent: FooBot\nDisallow: /f # why\nSitemap: /s" || got.Copy.Scope != scope || got.Copy.Hash != policy.HashOf([]byte(forTwo)) {
		t.Errorf("kept is %+v", got.Copy)
	}
	if keys := m.Keys(); len(keys) != 1 || !strings.HasPrefix(keys[0], "fleet-"+scope.Key()+":d:{") {
		t.Errorf("keys are %q", keys)
	}
	// Renewed without its body it stays what it is, and so read and put again.
	renewed := whole
	renewed.Copy.Body = nil
	put(t, store, renewed)
	again := get(t, store)
	if string(again.Copy.Body) != string(got.Copy.Body) || again.Copy.Scope != scope {
		t.Errorf("renewed, it is %+v", again.Copy)
	}
	put(t, store, *again)
	if last := get(t, store); string(last.Copy.Body) != string(got.Copy.Body) || last.Copy.Scope != scope {
		t.Errorf("put as it was read, it is %+v", last.Copy)
	}
	// Others see nothing of it.
	for name, options := range map[string]Options{
		"everybody's": {Prefix: "fleet"}, "another's": {Prefix: "fleet", Scope: scopeOf(t, "Other")},
	} {
		if other := get(t, connect(t, urlOf(m), options)); other.Known() {
			t.Errorf("%s store reads %+v", name, other)
		}
	}
}

// What was kept for some is not taken for a whole file, however a store comes by
// it.
func TestWhatWasKeptForOthers(t *testing.T) {
	m := serve(t)
	scope := scopeOf(t, "FooBot")
	store := connect(t, urlOf(m), Options{Scope: scope})
	put(t, store, succeeded([]byte(forTwo)))
	var faults []error
	everybodys := connect(t, urlOf(m), Options{Prefix: "polite-" + scope.Key(), OnCorrupt: func(_ site.Origin, err error) { faults = append(faults, err) }})
	if got := get(t, everybodys); got.Known() || len(faults) != 1 || !errors.Is(faults[0], errCorrupt) {
		t.Errorf("read by its keys it is %+v, %v", got, faults)
	}
	kept := *get(t, store)
	kept.Rev = ""
	kept.Origin = parseOrigin("https://elsewhere.example")
	for name, options := range map[string]Options{
		"everybody's": {Prefix: "a"}, "another's": {Prefix: "b", Scope: scopeOf(t, "Other")},
	} {
		if _, err := connect(t, urlOf(m), options).Put(t.Context(), &kept, 1<<40); err == nil {
			t.Errorf("%s store takes what was kept for others", name)
		}
	}
}

// Empty lines cost next to nothing.
func TestEmptyLinesAreCheap(t *testing.T) {
	c := newTestCodec(t)
	lines := "User-agent: FooBot\nDisallow: /f"
	short, long := encode(t, c, succeeded([]byte(lines))), encode(t, c, succeeded([]byte(strings.Repeat("\n", 2000)+lines)))
	if len(long)-len(short) > 16 {
		t.Errorf("2,000 of them take %d octets", len(long)-len(short))
	}
}
