package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polite-crawler/polite/adapters/redisstore"
	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

// A file is a robots.txt and whose it is.
type file struct {
	origin site.Origin
	body   []byte
}

// corpus reads files/HOST of a folder.
func corpus(folder string) (files []file, err error) {
	folder = filepath.Join(folder, "files")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	for _, entry := range entries {
		host, _, _ := strings.Cut(entry.Name(), "_") // "example.com_443"
		origin, err := site.ParseOrigin("https://" + host)
		if err != nil {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		body, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("corpus: %w", err)
		}
		files = append(files, file{origin, body[:min(len(body), 512<<10)]})
	}
	return files, nil
}

// A room is what one way of keeping them takes.
type room struct {
	name    string
	octets  []int   // of each value
	each    []int   // MEMORY USAGE of each key
	overall float64 // used_memory, an origin
}

// measureRooms keeps the files in each of the ways, each in a server of its own.
func measureRooms(ctx context.Context, files []file) ([]room, error) {
	agents, err := agent.ParseTokens("ExampleBot")
	if err != nil {
		return nil, err
	}
	all := []room{{name: "as it is"}, {name: "compressed"}, {name: "compressed, as a hash of four fields"}, {name: "filtered and compressed"}}
	for i := range all {
		var scope policy.Scope
		if i == 3 {
			scope.Agents = agents
		}
		if err := all[i].measure(ctx, files, scope, []func(value []byte, f file) ([]byte, bool){plain, nil, asHash, nil}[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// measure puts all files with a Store, and changes what is kept if asked to.
func (r *room) measure(ctx context.Context, files []file, scope policy.Scope, change func([]byte, file) (value []byte, hash bool)) error {
	s, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	store, err := redisstore.Open(ctx, s.url(), redisstore.Options{Scope: scope})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	// Twice: what Redis needs for connections, scripts and large requests is there
	// after the first time, and does not count.
	if err := r.fill(ctx, s, store, files, scope, change); err != nil {
		return err
	}
	r.octets, r.each = nil, nil
	s.client.FlushAll(ctx)
	before := s.used(ctx)
	if err := r.fill(ctx, s, store, files, scope, change); err != nil {
		return err
	}
	r.overall = float64(s.used(ctx)-before) / float64(len(files))
	return nil
}

func (r *room) fill(ctx context.Context, s *server, store *redisstore.Store, files []file, scope policy.Scope, change func([]byte, file) (value []byte, hash bool)) error {
	prefix := "polite"
	if key := scope.Key(); key != "" {
		prefix += "-" + key
	}
	life := 30 * 24 * time.Hour
	for _, f := range files {
		if _, err := store.Put(ctx, snapshotOf(f.origin, f.body, time.Now()), life); err != nil {
			return err
		}
		key := prefix + ":d:{" + f.origin.String() + "}"
		value, err := s.client.Get(ctx, key).Bytes()
		if err != nil {
			return err
		}
		if change != nil {
			other, hash := change(value, f)
			s.client.Del(ctx, key)
			if hash {
				fields := []any{"r", value[:11], "h", value[11:]}
				if end := headerEnd(value); end < len(value) {
					fields = []any{"r", value[:11], "h", value[11 : end-32], "d", value[end-32 : end], "b", value[end:]}
				}
				s.client.HSet(ctx, key, fields...)
				s.client.PExpire(ctx, key, life)
			} else {
				s.client.Set(ctx, key, other, life)
			}
			value = other
		}
		usage, err := s.client.MemoryUsage(ctx, key, 0).Result()
		if err != nil {
			return err
		}
		r.octets, r.each = append(r.octets, len(value)), append(r.each, int(usage))
	}
	return nil
}

// plain is a value with its body as it is.
func plain(value []byte, f file) ([]byte, bool) {
	const checksumAndCoding = 5
	end := headerEnd(value)
	if end == len(value) { // a page of HTML is no robots.txt: there is no copy (F3)
		return value, false
	}
	return append(slices.Clone(value[:end+checksumAndCoding]), f.body...), false
}

func asHash(value []byte, _ file) ([]byte, bool) { return value, true }

// headerEnd is where a value's body begins (adapters/redisstore/codec.go).
func headerEnd(value []byte) int {
	return 18 + int(value[11]) + int(value[12])<<8 + int(value[13])<<16
}

// used is the memory that Redis has in use.
func (s *server) used(ctx context.Context) int {
	n, _ := strconv.Atoi(s.field(ctx, "memory", "used_memory"))
	return n
}

func mean(all []int) float64 {
	sum := 0
	for _, n := range all {
		sum += n
	}
	return float64(sum) / float64(len(all))
}

func quantile(all []int, part float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[int(part*float64(len(sorted)-1))])
}
