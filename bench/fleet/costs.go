package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// Costs are what operations cost a Redis, which docs/scale.md multiplies.
type Costs struct {
	Origins    int
	Body       int     // octets of the robots.txt
	Memory     float64 // octets of used_memory for an origin, all told
	Tombstone  float64 // the same for one that was deleted
	Connection float64 // for a connection that was just used
	Idle       float64 // for one that was not, for a while
	Listener   float64 // for a new one that hears deletes
	Operations []Operation
}

// An Operation is one of package ports, as often as there are origins.
type Operation struct {
	Name    string
	In, Out float64       // octets on the network, by Redis' count
	CPU     time.Duration // of the server
}

func (b *bench) costs(ctx context.Context) (*Costs, error) {
	server, err := startRedis(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	store, err := spec{Redis: server.address(), Prefix: "polite"}.store(ctx)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	body := b.common().Body
	c := &Costs{Origins: b.known, Body: len(body)}

	var all []site.Origin
	c.Memory, err = server.grown(ctx, b.known, func() (err error) {
		all, err = b.publish(ctx, store)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := c.operations(ctx, server, store, all, body); err != nil {
		return nil, err
	}
	// What is left of all origins now is tombstones.
	last, err := server.info(ctx, "memory", "used_memory")
	if err != nil {
		return nil, err
	}
	if err := server.raw.FlushAll(ctx).Err(); err != nil {
		return nil, err
	}
	empty, err := server.info(ctx, "memory", "used_memory")
	if err != nil {
		return nil, err
	}
	c.Tombstone = (last - empty) / float64(b.known)
	return c, c.connections(ctx, server)
}

// operations measures each operation on all origins.
func (c *Costs) operations(ctx context.Context, server *server, store *redisstore.Store, all []site.Origin, body []byte) error {
	revs := make([]policy.Rev, len(all))
	for i, origin := range all {
		known, err := store.Get(ctx, origin, policy.Hash{})
		if err != nil {
			return err
		}
		revs[i] = known.Rev
	}
	put := func(kept bool) func(i int) error {
		return func(i int) (err error) {
			next := fetched(all[i], body)
			next.Rev = revs[i]
			if kept {
				next.Copy.Body = nil
			}
			revs[i], err = store.Put(ctx, next, next.KeepFor(time.Now(), policy.Lifetimes{}))
			return err
		}
	}
	hash := policy.HashOf(body)
	for _, operation := range []struct {
		name string
		do   func(i int) error
	}{
		{"Get, with the body", func(i int) error {
			_, err := store.Get(ctx, all[i], policy.Hash{})
			return err
		}},
		{"Get, the hash at hand", func(i int) error {
			_, err := store.Get(ctx, all[i], hash)
			return err
		}},
		{"TryLease and release", func(i int) error {
			release, held, err := store.TryLease(ctx, all[i], time.Minute)
			if err != nil || !held {
				return fmt.Errorf("the lease of %s: held %v, %w", all[i], held, err)
			}
			release()
			return nil
		}},
		{"Wait", func(i int) error { return store.Wait(ctx, all[i]) }}, // for nobody
		{"Put, a body", put(false)},
		{"Put, the same body", put(true)},
		{"Delete", func(i int) error { return store.Delete(ctx, all[i]) }},
	} {
		cost, err := server.cost(ctx, len(all), operation.do)
		if err != nil {
			return fmt.Errorf("%s: %w", operation.name, err)
		}
		cost.Name = operation.name
		c.Operations = append(c.Operations, cost)
	}
	return nil
}

// calm is after how long Redis has taken back what it lends to a connection for
// its commands and answers.
const calm = 8 * time.Second

// connections measures what it costs to have one.
func (c *Costs) connections(ctx context.Context, server *server) (err error) {
	const many = 500
	open := func(use func(*redis.Client) error, then func() error) (float64, error) {
		var clients []*redis.Client
		defer func() {
			for _, client := range clients {
				_ = client.Close()
			}
		}()
		return server.grown(ctx, many, func() error {
			for range many {
				client := redis.NewClient(&redis.Options{Addr: server.address(), PoolSize: 1})
				clients = append(clients, client)
				if err := use(client); err != nil {
					return err
				}
			}
			return then()
		})
	}
	ping := func(client *redis.Client) error { return client.Ping(ctx).Err() }
	now := func() error { return nil }
	later := func() error {
		select {
		case <-time.After(calm):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if c.Connection, err = open(ping, now); err != nil {
		return err
	}
	if c.Idle, err = open(ping, later); err != nil {
		return err
	}
	var ears []*redis.PubSub
	defer func() {
		for _, ear := range ears {
			_ = ear.Close()
		}
	}()
	c.Listener, err = open(func(client *redis.Client) error {
		ear := client.Subscribe(ctx, "polite:deletes")
		ears = append(ears, ear)
		_, err := ear.Receive(ctx)
		return err
	}, now)
	return err
}

// grown returns by how much the server's memory grows for each of so many.
func (s *server) grown(ctx context.Context, n int, do func() error) (float64, error) {
	before, err := s.info(ctx, "memory", "used_memory")
	if err != nil {
		return 0, err
	}
	if err := do(); err != nil {
		return 0, err
	}
	after, err := s.info(ctx, "memory", "used_memory")
	return (after - before) / float64(n), err
}

// cost measures an operation that is done so often, one after the other.
func (s *server) cost(ctx context.Context, n int, do func(i int) error) (o Operation, err error) {
	fields := []struct{ section, field string }{
		{"stats", "total_net_input_bytes"}, {"stats", "total_net_output_bytes"},
		{"cpu", "used_cpu_user"}, {"cpu", "used_cpu_sys"},
	}
	var change [4]float64
	read := func(sign float64) error {
		for i, f := range fields {
			value, err := s.info(ctx, f.section, f.field)
			if err != nil {
				return err
			}
			change[i] += sign * value / float64(n)
		}
		return nil
	}
	if err := read(-1); err != nil {
		return o, err
	}
	for i := range n {
		if err := do(i); err != nil {
			return o, err
		}
	}
	if err := read(1); err != nil {
		return o, err
	}
	return Operation{In: change[0], Out: change[1], CPU: time.Duration((change[2] + change[3]) * float64(time.Second))}, nil
}
