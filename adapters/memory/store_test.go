package memory_test

import (
	"testing"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/ports/porttest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	porttest.StoreInFakeTime(t, func(t porttest.T) porttest.Fleet {
		store, err := memory.New(memory.Options{})
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		t.Cleanup(func() { _ = store.Close() })
		worker := porttest.Worker{Cache: store, Leaser: store, Watcher: store}
		return porttest.Fleet{Workers: []porttest.Worker{worker, worker}, Advance: time.Sleep}
	})
}
