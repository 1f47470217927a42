package porttest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/polite-crawler/polite/adapters/memory"
	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
	"github.com/polite-crawler/polite/ports"
	"github.com/polite-crawler/polite/ports/porttest"
)

// A double is a store with one fault: each method goes to a sound store, unless
// it was given another.
type double struct {
	*memory.Store
	get    func(context.Context, site.Origin, policy.Hash) (*policy.Snapshot, error)
	put    func(context.Context, *policy.Snapshot, time.Duration) (policy.Rev, error)
	delete func(context.Context, site.Origin) error
	lease  func(context.Context, site.Origin, time.Duration) (func(), bool, error)
	wait   func(context.Context, site.Origin) error
	watch  func(context.Context, func(site.Origin)) error
}

func (d *double) Get(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
	return d.get(ctx, o, have)
}

func (d *double) Put(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	return d.put(ctx, next, keep)
}

func (d *double) Delete(ctx context.Context, o site.Origin) error { return d.delete(ctx, o) }

func (d *double) TryLease(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
	return d.lease(ctx, o, ttl)
}

func (d *double) Wait(ctx context.Context, o site.Origin) error { return d.wait(ctx, o) }

func (d *double) Watch(ctx context.Context, forget func(site.Origin)) error {
	return d.watch(ctx, forget)
}

// force puts whatever is stored.
func (d *double) force(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
	for {
		stored, err := d.Store.Get(ctx, next.Origin, policy.Hash{})
		if err != nil {
			return "", err
		}
		mine := *next
		mine.Rev = stored.Rev
		if mine.HasCopy() && mine.Copy.Body == nil {
			mine.Copy.Body = stored.Copy.Body
		}
		rev, err := d.Store.Put(ctx, &mine, keep)
		if !errors.Is(err, ports.ErrConflict) {
			return rev, err
		}
	}
}

// open makes a Fleet of two workers with the fault; shared says that they share
// the double's own state as well.
func open(fault func(*double), shared bool) porttest.Open {
	return func(t porttest.T) porttest.Fleet {
		store, err := memory.New(memory.Options{})
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		t.Cleanup(func() { _ = store.Close() })
		worker := func() porttest.Worker {
			d := &double{
				Store: store, get: store.Get, put: store.Put, delete: store.Delete,
				lease: store.TryLease, wait: store.Wait, watch: store.Watch,
			}
			fault(d)
			return porttest.Worker{Cache: d, Leaser: d, Watcher: d}
		}
		a := worker()
		b := a
		if !shared {
			b = worker()
		}
		return porttest.Fleet{Workers: []porttest.Worker{a, b}, Advance: time.Sleep}
	}
}

// forgetting is a Get after which something of a snapshot is gone.
func forgetting(what func(*policy.Snapshot)) func(*double) {
	return func(d *double) {
		d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
			s, err := d.Store.Get(ctx, o, have)
			if err == nil {
				what(s)
			}
			return s, err
		}
	}
}

// doubles are the stores that the suite must catch, and by which checks.
var doubles = []struct {
	name   string
	shared bool
	fault  func(*double)
	caught []string
}{
	{
		"Get returns nil for an unknown origin", true, func(d *double) {
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				s, err := d.Store.Get(ctx, o, have)
				if err == nil && !s.Known() {
					return nil, nil
				}
				return s, err
			}
		}, []string{"an unknown origin is a snapshot"},
	},
	{
		"the Failure is not written down", true,
		forgetting(func(s *policy.Snapshot) { s.Failure = policy.NoFailure }),
		[]string{"what is put comes out everywhere"},
	},
	{
		"an empty body comes back as none", true,
		forgetting(func(s *policy.Snapshot) { s.Copy.Body = append([]byte(nil), s.Copy.Body...) }),
		[]string{"what is put comes out everywhere", "a Put without body keeps the stored one"},
	},
	{
		"times are cut to whole minutes", true,
		forgetting(func(s *policy.Snapshot) { s.FreshUntil = s.FreshUntil.Truncate(time.Minute) }),
		[]string{"what is put comes out everywhere"},
	},
	{
		"a zero time comes back as 1970", true,
		forgetting(func(s *policy.Snapshot) {
			if s.FailingSince.IsZero() {
				s.FailingSince = time.Unix(0, 0)
			}
		}),
		[]string{"what is put comes out everywhere"},
	},
	{
		"the key is the host alone", true, func(d *double) {
			key := func(o site.Origin) site.Origin {
				host, _ := site.ParseOrigin("https://" + o.Host())
				return host
			}
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				return d.Store.Get(ctx, key(o), have)
			}
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				mine.Origin = key(next.Origin)
				return d.force(ctx, &mine, keep)
			}
			d.delete = func(ctx context.Context, o site.Origin) error { return d.Store.Delete(ctx, key(o)) }
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				return d.Store.TryLease(ctx, key(o), ttl)
			}
		}, []string{"origins are kept apart", "one worker holds the lease"},
	},
	{
		"the Rev is the body's hash", true, func(d *double) {
			stored := make(map[policy.Rev]policy.Rev)
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				mine.Rev = stored[next.Rev]
				rev, err := d.Store.Put(ctx, &mine, keep)
				shown := policy.Rev(next.Copy.Hash.String())
				stored[shown] = rev
				return shown, err
			}
		}, []string{"every Put makes a Rev of its own"},
	},
	{
		"the last Put wins", true, func(d *double) { d.put = d.force },
		[]string{
			"a Put from a state that is gone conflicts", "of many Puts from one state one is stored",
			"a Put from before a Delete conflicts",
		},
	},
	{
		"Put looks, and then writes", true, func(d *double) {
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				stored, err := d.Store.Get(ctx, next.Origin, policy.Hash{})
				if err == nil && stored.Rev != next.Rev {
					return "", ports.ErrConflict
				}
				time.Sleep(time.Millisecond)
				return d.force(ctx, next, keep)
			}
		}, []string{"of many Puts from one state one is stored"},
	},
	{
		"a deleted origin is like one never stored", true, func(d *double) {
			deleted := make(map[policy.Rev]bool)
			d.delete = func(ctx context.Context, o site.Origin) error {
				err := d.Store.Delete(ctx, o)
				s, _ := d.Store.Get(ctx, o, policy.Hash{})
				deleted[s.Rev] = true
				return err
			}
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				s, err := d.Store.Get(ctx, o, have)
				if err == nil && deleted[s.Rev] {
					s.Rev = ""
				}
				return s, err
			}
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				if stored, err := d.Store.Get(ctx, next.Origin, policy.Hash{}); err == nil && next.Rev == "" && deleted[stored.Rev] {
					return d.force(ctx, next, keep)
				}
				return d.Store.Put(ctx, next, keep)
			}
		}, []string{"a Put from before a Delete conflicts"},
	},
	{
		"a Delete is remembered for a minute", true, func(d *double) {
			deleted := make(map[site.Origin]time.Time)
			d.delete = func(ctx context.Context, o site.Origin) error {
				deleted[o] = time.Now()
				return d.Store.Delete(ctx, o)
			}
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				if at, found := deleted[next.Origin]; found && next.Rev == "" && time.Since(at) > time.Minute {
					return d.force(ctx, next, keep)
				}
				return d.Store.Put(ctx, next, keep)
			}
		}, []string{"a Delete is remembered for ten minutes"},
	},
	{
		"Revs count, and begin again after a Delete", true, func(d *double) {
			begun := make(map[site.Origin]policy.Rev) // the real Rev of "first"
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				if mine.Rev == "first" {
					mine.Rev = begun[next.Origin]
				}
				rev, err := d.Store.Put(ctx, &mine, keep)
				if err == nil && next.Rev != "first" {
					begun[next.Origin], rev = rev, "first"
				}
				return rev, err
			}
		}, []string{"a Rev never comes back, by Delete or by age"},
	},
	{
		"nothing is kept for more than ten minutes", true, func(d *double) {
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				return d.Store.Put(ctx, next, min(keep, 10*time.Minute))
			}
		}, []string{"a snapshot is there for as long as asked"},
	},
	{
		"a Put without body drops the stored one", true, func(d *double) {
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				if mine.Copy.Body == nil {
					mine.Copy = policy.Copy{}
				}
				return d.Store.Put(ctx, &mine, keep)
			}
		}, []string{"a Put without body keeps the stored one", "a Put without body conflicts if it is another's"},
	},
	{
		"a Put without body takes whatever body is there", true, func(d *double) {
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				if mine.HasCopy() && mine.Copy.Body == nil {
					if s, err := d.Store.Get(ctx, next.Origin, policy.Hash{}); err == nil && s.HasCopy() {
						mine.Copy.Body = s.Copy.Body
					}
				}
				return d.Store.Put(ctx, &mine, keep)
			}
		}, []string{"a Put without body conflicts if it is another's"},
	},
	{
		"bodies are kept by hash and come back", true, func(d *double) {
			bodies := make(map[policy.Hash][]byte)
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mine := *next
				if mine.Copy.Body == nil {
					mine.Copy.Body = bodies[mine.Copy.Hash]
				}
				bodies[mine.Copy.Hash] = mine.Copy.Body
				return d.Store.Put(ctx, &mine, keep)
			}
		}, []string{"a body that was dropped stays dropped"},
	},
	{
		"any hash at hand leaves the body out", true, func(d *double) {
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				s, err := d.Store.Get(ctx, o, have)
				if err == nil && have != (policy.Hash{}) {
					s.Copy.Body = nil
				}
				return s, err
			}
		}, []string{"a body at hand may be left out"},
	},
	{
		"what is stored is the caller's own snapshot", true, func(d *double) {
			var mu sync.Mutex
			stored := make(map[site.Origin]*policy.Snapshot)
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				mu.Lock()
				defer mu.Unlock()
				stored[next.Origin] = next
				return d.Store.Put(ctx, next, keep)
			}
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				mu.Lock()
				defer mu.Unlock()
				if s := stored[o]; s != nil {
					return s, nil
				}
				return d.Store.Get(ctx, o, have)
			}
		}, []string{"what was put is the caller's again"},
	},
	{
		"Put notes the new Rev in the caller's snapshot", true, func(d *double) {
			d.put = func(ctx context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				rev, err := d.Store.Put(ctx, next, keep)
				next.Rev = rev
				return rev, err
			}
		}, []string{"what was put is the caller's again"},
	},
	{
		"contexts are ignored", true, func(d *double) {
			d.get = func(_ context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				return d.Store.Get(context.Background(), o, have)
			}
			d.put = func(_ context.Context, next *policy.Snapshot, keep time.Duration) (policy.Rev, error) {
				return d.Store.Put(context.Background(), next, keep)
			}
			d.delete = func(_ context.Context, o site.Origin) error {
				return d.Store.Delete(context.Background(), o)
			}
			d.lease = func(_ context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				return d.Store.TryLease(context.Background(), o, ttl)
			}
			d.wait = func(_ context.Context, o site.Origin) error { return d.Store.Wait(context.Background(), o) }
			d.watch = func(_ context.Context, forget func(site.Origin)) error {
				return d.Store.Watch(context.Background(), forget)
			}
		}, []string{
			"a done context ends every method", "release does not depend on the context",
			"Wait ends with its context", "Watch ends with its context",
		},
	},
	{
		"the header is of one state and the body of another", true, func(d *double) {
			last := []byte("# another")
			d.get = func(ctx context.Context, o site.Origin, have policy.Hash) (*policy.Snapshot, error) {
				s, err := d.Store.Get(ctx, o, have)
				if err == nil && s.HasCopy() {
					s.Copy.Body = last
				}
				return s, err
			}
		}, []string{"a reader never sees two states mixed"},
	},

	{
		"everybody holds the lease", true, func(d *double) {
			d.lease = func(context.Context, site.Origin, time.Duration) (func(), bool, error) {
				return func() {}, true, nil
			}
		}, []string{"one worker holds the lease", "of many who try one gets the lease", "a lease is not cut short"},
	},
	{
		"the lease is only this worker's", false, func(d *double) {
			own, _ := memory.New(memory.Options{})
			d.lease = own.TryLease
		}, []string{"one worker holds the lease", "of many who try one gets the lease"},
	},
	{
		"TryLease looks, and then takes", true, func(d *double) {
			var mu sync.Mutex
			taken := make(map[site.Origin]bool)
			d.lease = func(_ context.Context, o site.Origin, _ time.Duration) (func(), bool, error) {
				mu.Lock()
				free := !taken[o]
				mu.Unlock()
				time.Sleep(time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				taken[o] = true
				return func() {}, free, nil
			}
		}, []string{"of many who try one gets the lease"},
	},
	{
		"TryLease waits for the holder", true, func(d *double) {
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				for {
					release, held, err := d.Store.TryLease(ctx, o, ttl)
					if held || err != nil {
						return release, held, err
					}
					if err := sleep(ctx, 100*time.Millisecond); err != nil {
						return nil, false, err
					}
				}
			}
		}, []string{"TryLease never blocks"},
	},
	{
		"release does nothing", true, func(d *double) {
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				_, held, err := d.Store.TryLease(ctx, o, ttl)
				return func() {}, held, err
			}
		}, []string{"a released lease is free"},
	},
	{
		"release frees whoever holds the lease", true, func(d *double) {
			holders := make(map[site.Origin]func())
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				release, held, err := d.Store.TryLease(ctx, o, ttl)
				if held {
					holders[o] = release
				}
				return func() { holders[o]() }, held, err
			}
		}, []string{"release frees only what is still its own", "a released lease is free"},
	},
	{
		"release needs the context of TryLease", true, func(d *double) {
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				release, held, err := d.Store.TryLease(ctx, o, ttl)
				return func() {
					if ctx.Err() == nil {
						release()
					}
				}, held, err
			}
		}, []string{"release does not depend on the context"},
	},
	{
		"a lease never runs out", true, func(d *double) {
			d.lease = func(ctx context.Context, o site.Origin, _ time.Duration) (func(), bool, error) {
				return d.Store.TryLease(ctx, o, 1000*time.Hour)
			}
		}, []string{
			"a lease runs out", "release frees only what is still its own", "Wait wakes when the lease runs out",
		},
	},
	{
		"a lease lasts ten seconds at most", true, func(d *double) {
			d.lease = func(ctx context.Context, o site.Origin, ttl time.Duration) (func(), bool, error) {
				return d.Store.TryLease(ctx, o, min(ttl, 10*time.Second))
			}
		}, []string{"a lease is not cut short"},
	},
	{
		"Wait sleeps past the second", true, func(d *double) {
			d.wait = func(ctx context.Context, _ site.Origin) error { return sleep(ctx, 3*time.Second) }
		}, []string{"Wait ends within a second"},
	},
	{
		"Wait sleeps a second whatever happens", true, func(d *double) {
			d.wait = func(ctx context.Context, _ site.Origin) error { return sleep(ctx, time.Second) }
		}, []string{"Wait wakes when the lease is freed", "Wait wakes when the lease runs out", "Wait wakes at a Put"},
	},
	{
		"one of those who wait is forgotten", true, func(d *double) {
			var mu sync.Mutex
			waiting := 0
			d.wait = func(ctx context.Context, o site.Origin) error {
				mu.Lock()
				waiting++
				forgotten := waiting == 100
				mu.Unlock()
				if forgotten {
					return sleep(ctx, time.Hour)
				}
				return d.Store.Wait(ctx, o)
			}
		}, []string{"everybody who waits comes back"},
	},

	{
		"Watch does not say that it begins to hear", true, func(d *double) {
			d.watch = func(ctx context.Context, forget func(site.Origin)) error {
				return d.Store.Watch(ctx, func(o site.Origin) {
					if !o.IsZero() {
						forget(o)
					}
				})
			}
		}, []string{"Watch says first that it begins to hear"},
	},
	{
		"a worker hears its own Deletes only", false, func(d *double) {
			var mine sync.Map
			d.delete = func(ctx context.Context, o site.Origin) error {
				mine.Store(o, true)
				defer mine.Delete(o)
				return d.Store.Delete(ctx, o)
			}
			d.watch = func(ctx context.Context, forget func(site.Origin)) error {
				return d.Store.Watch(ctx, func(o site.Origin) {
					if _, found := mine.Load(o); found || o.IsZero() {
						forget(o)
					}
				})
			}
		}, []string{"every worker hears every Delete"},
	},
	{
		"forget is called from a goroutine each", true, func(d *double) {
			d.watch = func(ctx context.Context, forget func(site.Origin)) error {
				return d.Store.Watch(ctx, func(o site.Origin) { go forget(o) })
			}
		}, []string{"forget is called one at a time"},
	},
	{
		"Delete waits until it was heard", true, func(d *double) {
			var busy sync.Mutex
			d.watch = func(ctx context.Context, forget func(site.Origin)) error {
				return d.Store.Watch(ctx, func(o site.Origin) {
					busy.Lock()
					defer busy.Unlock()
					forget(o)
				})
			}
			d.delete = func(ctx context.Context, o site.Origin) error {
				if err := d.Store.Delete(ctx, o); err != nil {
					return err
				}
				for {
					if err := sleep(ctx, time.Millisecond); err != nil {
						return err
					}
					if busy.TryLock() {
						busy.Unlock()
						return nil
					}
				}
			}
		}, []string{"a slow forget holds up nobody's Delete"},
	},
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func TestStoreChecksPassASoundStore(t *testing.T) {
	porttest.RunInFakeTime(t, porttest.StoreChecks(), open(func(*double) {}, true))
}

func TestStoreChecksCatchBrokenStores(t *testing.T) {
	checks := make(map[string]porttest.Check[porttest.Open])
	for _, check := range porttest.StoreChecks() {
		checks[check.Name] = check
	}
	catches := make(map[string]bool)
	for _, broken := range doubles {
		for _, name := range broken.caught {
			check, found := checks[name]
			if !found {
				t.Errorf("there is no check %q", name)
			}
			catches[name] = true
			t.Run(broken.name+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					faults := porttest.Try(t.Context(), check, open(broken.fault, broken.shared))
					if len(faults) == 0 {
						t.Errorf("not caught")
					}
					for _, fault := range faults {
						t.Logf("caught: %.300s", fault)
					}
				})
			})
		}
	}
	for name := range checks {
		if !catches[name] {
			t.Errorf("no double shows that the check %q can fail", name)
		}
	}
}
