package redisstore

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/site"
)

// A listener hears all that a Store has to hear on one connection, however many
// wait. It connects when somebody first wants to hear something, and again, with
// pauses, for as long as somebody does.
type listener struct {
	client  redis.UniversalClient
	deletes string        // the channel of deletes
	timeout time.Duration // of subscribing

	life context.Context // until close
	stop context.CancelFunc
	done sync.WaitGroup
	kick chan struct{} // holds a token while there may be something to subscribe

	mu      sync.Mutex
	running bool
	topics  map[string]*topic
	watches map[*watch]struct{}
	changed map[string]struct{} // channels that have to be looked at
	hearing bool                // the channel of deletes is subscribed
	deaf    bool                // there was no connection when one was last tried
}

// A topic is a channel that somebody waits for a message on: one message, then
// it is over.
type topic struct {
	channel string
	users   int
	heard   chan struct{} // closed once it is subscribed, or cannot be
	woken   chan struct{} // closed by the message
}

func newListener(client redis.UniversalClient, deletes string, timeout time.Duration) *listener {
	life, stop := context.WithCancel(context.Background())
	return &listener{
		client: client, deletes: deletes, timeout: timeout,
		life: life, stop: stop,
		kick:    make(chan struct{}, 1),
		topics:  make(map[string]*topic),
		watches: make(map[*watch]struct{}),
		changed: make(map[string]struct{}),
	}
}

// join waits for the next message on a channel, together with whoever does
// already.
func (l *listener) join(channel string) *topic {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.topics[channel]
	if t == nil {
		t = &topic{channel: channel, heard: make(chan struct{}), woken: make(chan struct{})}
		l.topics[channel] = t
		l.change(channel)
	}
	if l.deaf {
		t.hear()
	}
	t.users++
	return t
}

func (l *listener) leave(t *topic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.users--; t.users == 0 && l.topics[t.channel] == t {
		delete(l.topics, t.channel)
		l.change(t.channel)
	}
}

// watch begins to hear deletes.
func (l *listener) watch() *watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := newWatch()
	l.watches[w] = struct{}{}
	if l.hearing {
		w.tell(site.Origin{})
	} else {
		l.change(l.deletes)
	}
	return w
}

func (l *listener) unwatch(w *watch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.watches, w)
	l.change(l.deletes)
}

// hears reports whether deletes are being heard.
func (l *listener) hears() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hearing
}

// close ends the goroutine.
func (l *listener) close() {
	l.mu.Lock()
	l.running = true // no more
	l.mu.Unlock()
	l.stop()
	l.done.Wait()
}

// change has the channel's subscription looked at.
func (l *listener) change(channel string) {
	l.changed[channel] = struct{}{}
	select {
	case l.kick <- struct{}{}:
	default:
	}
	if !l.running {
		l.running = true
		l.done.Go(l.run)
	}
}

func (t *topic) hear() {
	select {
	case <-t.heard:
	default:
		close(t.heard)
	}
}
