package redisstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A question asked again answers for the key that it is asked about, and for
// nothing that was before.
func TestAQuestionIsAskedAgain(t *testing.T) {
	m := serve(t)
	long := strings.Repeat("x", int(headerOnly)+100)
	_ = m.Set("long", long)
	m.SetTTL("long", time.Hour)
	_ = m.Set("endless", "y")
	_, _ = m.Push("list", "z")
	client := redis.NewClient(&redis.Options{Addr: m.Addr()})
	t.Cleanup(func() { _ = client.Close() })

	for _, row := range []struct {
		name  string
		most  part
		whole string // of the longest value
	}{
		{"whole", wholeValue, long},
		{"header", headerOnly, long[:headerOnly+1]},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked := newQuestions(client, row.most)
			if asked.idle == nil {
				t.Fatal("questions to one Redis are not asked again")
			}
			one := newQuestion(client, row.most)
			for range 2 {
				for _, row := range []struct {
					key, value string
					left       time.Duration
				}{
					{"long", row.whole, time.Hour},
					{"none", "", gone},
					{"endless", "y", -1},
					{"none", "", gone},
				} {
					for _, ask := range []func(context.Context, string) (value, time.Duration, error){one.ask, asked.ask} {
						if v, left, err := ask(t.Context(), row.key); string(v) != row.value || left != row.left || err != nil {
							t.Errorf("%s is %q, for %v, %v", row.key, v, left, err)
						}
					}
				}
				// An error is the answer to one question, and to no other.
				if _, _, err := asked.ask(t.Context(), "list"); !isOther(err) {
					t.Errorf("a list is read: %v", err)
				}
			}
			over, cancel := context.WithCancel(t.Context())
			cancel()
			if _, _, err := asked.ask(over, "long"); !errors.Is(err, context.Canceled) {
				t.Errorf("a context that is over: %v", err)
			}
			if v, _, err := asked.ask(t.Context(), "endless"); string(v) != "y" || err != nil {
				t.Errorf("after one that failed: %q, %v", v, err)
			}
		})
	}
}

// SEMANTICS C6: in a Cluster a command stays where the first key was, and is not
// asked about another.
func TestQuestionsToAClusterAreAskedOnce(t *testing.T) {
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
	t.Cleanup(func() { _ = client.Close() })
	if newQuestions(client, wholeValue).idle != nil {
		t.Error("questions to a Cluster are asked again")
	}
}
