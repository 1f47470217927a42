package redisstore

import "github.com/polite-crawler/polite/domain/site"

// keys names what a fleet has in Redis. The origin is the hash tag: all that is
// about one origin lies in one slot of a Cluster, and a script may touch it.
type keys struct {
	prefix string
}

// data is the string that holds an origin's snapshot, or after a Delete only a
// revision.
func (k keys) data(origin site.Origin) string { return k.about("d", origin) }

// lease is the token of who holds the origin's lease.
func (k keys) lease(origin site.Origin) string { return k.about("l", origin) }

// events is the channel on which an origin's puts, releases and deletes are
// told, to wake who waits for them.
func (k keys) events(origin site.Origin) string { return k.about("e", origin) }

// deletes is the channel on which every delete is told, as the origin's text.
func (k keys) deletes() string { return k.prefix + ":deletes" }

func (k keys) about(what string, origin site.Origin) string {
	return k.prefix + ":" + what + ":{" + origin.String() + "}"
}
