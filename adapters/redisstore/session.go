package redisstore

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/site"
)

// The pauses between connections: short when one broke that had worked, long
// when there was none to be had.
const (
	shortPause = 100 * time.Millisecond
	longPause  = time.Second
)

func (l *listener) run() {
	for {
		select {
		case <-l.kick:
		case <-l.life.Done():
			return
		}
		for l.wanted() {
			worked, err := l.session()
			if l.life.Err() != nil {
				return
			}
			l.lost(err)
			pause := longPause
			if worked {
				pause = shortPause
			}
			select {
			case <-time.After(pause/2 + jitter(pause/2)):
			case <-l.life.Done():
				return
			}
		}
	}
}

func (l *listener) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.topics)+len(l.watches) > 0
}

// lost says that nothing is heard any more. Waits go on by their timers, and
// need not wait to be heard; a Watch must not be deaf without saying so.
func (l *listener) lost(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hearing, l.deaf = false, true
	for _, t := range l.topics {
		t.hear()
	}
	for w := range l.watches {
		w.end(err)
		delete(l.watches, w)
	}
}

// session is one connection, from first subscription to last message. It reports
// whether anything was heard on it.
func (l *listener) session() (worked bool, err error) {
	connection := l.client.Subscribe(l.life)
	defer func() { _ = connection.Close() }()

	if err := l.anywhere(connection); err != nil {
		return false, err
	}
	subscribed := make(map[string]bool)
	l.mu.Lock()
	for channel := range l.topics {
		l.changed[channel] = struct{}{}
	}
	l.changed[l.deletes] = struct{}{}
	l.mu.Unlock()
	if err := l.subscribe(connection, subscribed); err != nil {
		return false, err
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		worked, err = l.read(connection)
	}()
	defer func() {
		_ = connection.Close() // ends read
		<-ended
	}()
	for {
		select {
		case <-l.kick:
			if err := l.subscribe(connection, subscribed); err != nil {
				_ = connection.Close()
				<-ended
				return worked, err
			}
		case <-ended:
			return worked, err
		case <-l.life.Done():
			_ = connection.Close()
			<-ended
			return worked, l.life.Err()
		}
	}
}

// anywhere connects to any node of a Cluster, and the next time to any other.
// go-redis would go to the one that has the slot of the first channel: for most
// workers of a fleet the same, and for as long as it is gone none at all. All
// nodes tell all messages.
func (l *listener) anywhere(connection *redis.PubSub) error {
	if _, many := l.client.(*redis.ClusterClient); !many {
		return nil
	}
	ctx, cancel := context.WithTimeout(l.life, l.timeout)
	defer cancel()
	return connection.Ping(ctx)
}

// subscribe brings the subscriptions to what is wanted.
func (l *listener) subscribe(connection *redis.PubSub, subscribed map[string]bool) error {
	var more, less []string
	l.mu.Lock()
	for channel := range l.changed {
		wanted := l.topics[channel] != nil || channel == l.deletes && len(l.watches) > 0
		switch {
		case wanted && !subscribed[channel]:
			more = append(more, channel)
			subscribed[channel] = true
		case !wanted && subscribed[channel]:
			less = append(less, channel)
			delete(subscribed, channel)
			if channel == l.deletes {
				l.hearing = false
			}
		case wanted && channel != l.deletes:
			l.topics[channel].hear() // it still is, from the wait before
		}
	}
	clear(l.changed)
	l.mu.Unlock()

	ctx, cancel := context.WithTimeout(l.life, l.timeout)
	defer cancel()
	if len(more) > 0 {
		if err := connection.Subscribe(ctx, more...); err != nil {
			return err
		}
	}
	if len(less) > 0 {
		return connection.Unsubscribe(ctx, less...)
	}
	return nil
}

const (
	// idle is how long a connection may be silent before it is asked whether it
	// is still there, and answer how long it then has to say so: a peer that went
	// away without a word would otherwise be believed for minutes.
	idle   = 5 * time.Second
	answer = 2 * time.Second
)

// read takes messages until the connection fails.
func (l *listener) read(connection *redis.PubSub) (worked bool, err error) {
	limit := idle
	for {
		message, err := connection.ReceiveTimeout(l.life, limit)
		var timeout net.Error
		switch {
		case err == nil:
			worked, limit = true, idle
			l.hear(message)
		case errors.As(err, &timeout) && timeout.Timeout() && limit == idle:
			limit = answer
			ctx, cancel := context.WithTimeout(l.life, l.timeout)
			err = connection.Ping(ctx)
			cancel()
			if err != nil {
				return worked, err
			}
		default:
			return worked, err
		}
	}
}

// hear takes one message.
func (l *listener) hear(message any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deaf = false
	switch m := message.(type) {
	case *redis.Subscription:
		switch {
		case m.Kind != "subscribe":
		case m.Channel != l.deletes:
			if t := l.topics[m.Channel]; t != nil {
				t.hear()
			}
		case !l.hearing:
			l.hearing = true
			for w := range l.watches {
				w.tell(site.Origin{})
			}
		}
	case *redis.Message:
		if m.Channel != l.deletes {
			if t := l.topics[m.Channel]; t != nil {
				close(t.woken)
				delete(l.topics, m.Channel)
				l.change(m.Channel)
			}
			return
		}
		// What is no origin is taken for the zero one: something was deleted.
		var origin site.Origin
		if err := origin.UnmarshalText([]byte(m.Payload)); err != nil {
			origin = site.Origin{}
		}
		for w := range l.watches {
			w.tell(origin)
		}
	}
}
