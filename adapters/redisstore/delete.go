package redisstore

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/polite-crawler/polite/domain/site"
)

const (
	// graveTime is how long a Delete outlives the Puts made before it (ports.Cache).
	graveTime = 10 * time.Minute
	// replication is how long a Delete waits for a replica to have it, so that a
	// failover right behind it does not undo it (SEMANTICS C10).
	replication = 100 * time.Millisecond
)

// Delete implements ports.Cache. Where there are replicas it waits for one of
// them, 100 ms at most; that none has it by then is no error, as a failover that
// undoes a Delete is rare, and costs no more than what the Delete was to spare.
func (s *Store) Delete(ctx context.Context, origin site.Origin) error {
	op, cancel, err := s.operation(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	heard, err := s.remove(op, origin)
	if err != nil {
		return s.unavailable(ctx, "delete", origin, err)
	}
	if s.options.OnDelete != nil {
		s.options.OnDelete(origin, heard)
	}
	return nil
}

// remove runs the script on a connection of its own, as WAIT speaks of what was
// written on its own connection.
func (s *Store) remove(ctx context.Context, origin site.Origin) (heard int, err error) {
	key := s.keys.data(origin)
	run := func(on redis.Scripter) (replicas int, err error) {
		reply, err := s.scripts.remove.Run(ctx, on, []string{key},
			string(newRev()), graveTime.Milliseconds(), s.keys.events(origin), s.keys.deletes(), origin.String()).Int64Slice()
		if err != nil || len(reply) != 2 {
			return 0, err
		}
		heard = s.others(int(reply[1]))
		return int(reply[0]), nil
	}
	connection := s.connection(ctx, key)
	if connection == nil {
		_, err = run(s.client)
		return heard, err
	}
	defer func() { _ = connection.Close() }()
	replicas, err := run(connection)
	if redis.HasErrorPrefix(err, "MOVED") || redis.HasErrorPrefix(err, "ASK") || redis.HasErrorPrefix(err, "TRYAGAIN") {
		_, err = run(s.client) // which finds the node
		return heard, err
	}
	if err == nil && replicas > 0 {
		_ = connection.Wait(ctx, 1, replication).Err()
	}
	return heard, err
}

// others are those who hear deletes besides this Store. In a Cluster PUBLISH
// counts only who listens to the same node.
func (s *Store) others(heard int) int {
	if _, is := s.client.(*redis.ClusterClient); is {
		return -1
	}
	if s.ears.hears() {
		heard--
	}
	return max(heard, 0)
}

// connection returns a connection to where a key is written, or nil if there is
// no knowing.
func (s *Store) connection(ctx context.Context, key string) *redis.Conn {
	switch client := s.client.(type) {
	case *redis.Client:
		return client.Conn()
	case *redis.ClusterClient:
		if node, err := client.MasterForKey(ctx, key); err == nil {
			return node.Conn()
		}
	}
	return nil
}
