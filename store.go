package polite

import (
	"errors"
	"slices"

	"github.com/polite-crawler/polite/domain/agent"
	"github.com/polite-crawler/polite/domain/policy"
)

// Store says what of a robots.txt is kept in Redis.
type Store struct {
	// Filtered keeps what concerns Config.Agents, Agents and everybody ('*'), and
	// the records of the whole file, instead of all; false. Decisions, lines,
	// their text and the hash stay those of the whole file; what Inspect shows as
	// the copy is what is kept. Whoever asks as another agent has each worker
	// fetch the file once more.
	//
	// Stores that keep different lines are different stores: a hash of the agents
	// and the Dialect is put behind the Prefix, "polite-1a2b3c4d".
	Filtered bool
	// Agents are the product tokens of those who ask besides Config.Agents; none.
	Agents []string
}

// scope is whose lines the store keeps. Of an error field says where it is.
func (c Config) scope() (scope policy.Scope, field string, err error) {
	switch {
	case !c.Store.Filtered && len(c.Store.Agents) > 0:
		return scope, "Store.Agents", errors.New("a store that is not filtered keeps everybody's lines; set Store.Filtered, or leave them out")
	case !c.Store.Filtered:
		return scope, "", nil
	case c.Redis == "":
		return scope, "Store.Filtered", errors.New("without Redis there is no store to filter; set Redis, or leave it false")
	}
	agents, err := agent.ParseTokens(slices.Concat(c.Agents, c.Store.Agents)...)
	return policy.Scope{Agents: agents, Identification: c.UserAgent, Dialect: c.Dialect}, "Store.Agents", err
}
