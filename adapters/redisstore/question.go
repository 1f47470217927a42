package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// A question is the two commands of a read, sent together: a value, and what is
// left of its life. It is asked many times, as go-redis makes a dozen objects for
// two commands, which cost as much as decoding what they bring.
//
// The commands were made with a context that is nobody's: what bounds them is the
// one that they are executed with.
type question struct {
	pipeline   redis.Pipeliner
	both       [2]redis.Cmder
	text       *redis.StringCmd
	life       *redis.DurationCmd
	what, left []any // the arguments; at keyAt stands the key
}

const keyAt = 1

func newQuestion(client redis.UniversalClient, most part) *question {
	q := &question{pipeline: client.Pipeline(), what: []any{"get", nil}, left: []any{"pttl", nil}}
	if most != wholeValue {
		q.what = []any{"getrange", nil, 0, int64(most)}
	}
	q.text = redis.NewStringCmd(context.Background(), q.what...)
	q.life = redis.NewDurationCmd(context.Background(), time.Millisecond, q.left...)
	q.both = [...]redis.Cmder{q.text, q.life}
	return q
}

func (q *question) ask(ctx context.Context, key string) (v value, left time.Duration, err error) {
	argument := any(key)
	q.what[keyAt], q.left[keyAt] = argument, argument
	_ = q.pipeline.BatchProcess(ctx, q.both[:]...) // takes note of them, no more
	_, _ = q.pipeline.Exec(ctx)                    // each command has its own error
	for _, err := range [...]error{q.text.Err(), q.life.Err()} {
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, 0, err
		}
	}
	return octetsOf(q.text.Val()), q.life.Val(), nil
}

// questions are those at hand, of one part. It is safe for concurrent use.
type questions struct {
	client redis.UniversalClient
	most   part
	idle   *sync.Pool // nil: each is asked once
}

// newQuestions makes room for questions to one client. Those to a Cluster are
// asked once: a command of go-redis v9.23 keeps the slot of the first key that it
// was sent for.
func newQuestions(client redis.UniversalClient, most part) questions {
	q := questions{client: client, most: most}
	if _, one := client.(*redis.Client); one {
		q.idle = new(sync.Pool)
	}
	return q
}

// ask asks for a value and what is left of its life, in one round trip.
func (q questions) ask(ctx context.Context, key string) (value, time.Duration, error) {
	if q.idle == nil {
		return newQuestion(q.client, q.most).ask(ctx, key) //nolint:contextcheck // which it is executed with
	}
	one, _ := q.idle.Get().(*question)
	if one == nil {
		one = newQuestion(q.client, q.most) //nolint:contextcheck // as above
	}
	v, left, err := one.ask(ctx, key)
	if err != nil {
		return nil, 0, err // and it is not asked again, as its commands hold the error
	}
	one.text.SetVal("") // the value may be long, and what is read of it not
	one.text.SetErr(nil)
	one.life.SetErr(nil)
	q.idle.Put(one)
	return v, left, nil
}
