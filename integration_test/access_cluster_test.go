package integration_test

import (
	"strings"
	"testing"
	"time"
)

// SEMANTICS C6: the same user on a Cluster needs two commands more, for go-redis to find its way.
func TestAccessToACluster(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 3, 0, 10*time.Second)
	line := strings.Replace(user, "+select", "+cluster|slots +command", 1)
	for _, node := range c.masters {
		if err := node.client(t).Do(t.Context(), words(line)...).Err(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	origins := newOrigins(t, 6)
	on := spec{Redis: "redis://polite:right@" + strings.Join(c.addresses(), ",") + "?dial_timeout=10s&read_timeout=10s&write_timeout=10s", Prefix: "fleet"}
	a, b := hire(t, on), hire(t, on)
	wantSame(t, origins, a.check(urls(origins...)...), b.check(urls(origins...)...))
	for _, o := range origins {
		a.purge(o.allowed())
	}
	for i, w := range []*worker{a, b} {
		if so := w.facts(); so.Down > 0 || so.Log != "" {
			t.Errorf("worker %d: %+v", i, so)
		}
	}
	for _, node := range c.masters {
		if denied := deniedIn(t, node.client(t)); len(denied) > 0 {
			t.Errorf("the user was denied %q", denied)
		}
	}
}
