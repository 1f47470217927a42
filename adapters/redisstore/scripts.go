package redisstore

import (
	_ "embed" // the scripts

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed read.lua
	readSource string
	//go:embed put.lua
	putSource string
	//go:embed delete.lua
	deleteSource string
	//go:embed release.lua
	releaseSource string
)

// scripts are what has to be done in one step. They run by their digest, and
// are sent whole to a Redis that does not know it.
type scripts struct {
	read, put, remove, release *redis.Script
}

func newScripts() scripts {
	return scripts{
		read:    redis.NewScript(readSource),
		put:     redis.NewScript(putSource),
		remove:  redis.NewScript(deleteSource),
		release: redis.NewScript(releaseSource),
	}
}
