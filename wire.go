//go:build wireinject

package polite

import (
	"context"

	"github.com/google/wire"

	"github.com/polite-crawler/polite/app"
)

// inProcess makes a Gate that shares nothing.
func inProcess(ctx context.Context, config Config) (*app.Gate, func(), error) {
	panic(wire.Build(newGate, newOptions, newFetcher, newMemory, portsInProcess))
}

// throughRedis makes a Gate that shares through Redis.
func throughRedis(ctx context.Context, config Config) (*app.Gate, func(), error) {
	panic(wire.Build(newGate, newOptions, newFetcher, newMemory, newRedis, portsThroughRedis))
}
