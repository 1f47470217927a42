package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"github.com/polite-crawler/polite"
)

// defaultPrefix is that of --prefix and of polite.Config.
const defaultPrefix = "polite"

// redisServer are the flags that name the Redis of a fleet.
type redisServer struct {
	Redis       string `group:"share" placeholder:"URL" help:"Share what is learned through this Redis: redis://user:password@host:6379/0, or rediss:// for TLS."`
	RedisCAFile string `group:"share" name:"redis-ca-file" placeholder:"FILE" help:"Trust the certificates in this PEM file when it comes to Redis, in place of the system's."`
	Prefix      string `group:"share" default:"polite" placeholder:"NAME" help:"Begin every key in Redis with this. One prefix is one fleet with one identification string. Default: ${default}."`
}

// validate refuses what can be parsed and not be meant.
func (r *redisServer) validate() error {
	if r.RedisCAFile != "" && !strings.HasPrefix(r.Redis, "rediss") {
		return errors.New("--redis-ca-file: there is no TLS to Redis; name it with --redis rediss://host:port")
	}
	if r.Redis == "" && r.Prefix != defaultPrefix {
		return errors.New("--prefix: nothing is shared, so that there is nothing to begin with it; name the fleet's Redis with --redis")
	}
	return nil
}

// set says the same to the library.
func (r *redisServer) set(config *polite.Config) error {
	config.Redis, config.Prefix = r.Redis, r.Prefix
	if r.RedisCAFile == "" {
		return nil
	}
	pool, err := readCAs(r.RedisCAFile)
	if err != nil {
		return fmt.Errorf("--redis-ca-file: %w", err)
	}
	config.RedisTLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}
