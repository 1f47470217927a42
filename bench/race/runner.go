package race

import "time"

// look is about how long a runner runs without a look at the clock, which takes
// half a microsecond.
const look = time.Millisecond

// A runner is a lane under way.
type runner struct {
	Lane
	Options
	at     int           // the next operation
	passes int           // made in this round
	spent  time.Duration // in this round
	cost   float64       // of an operation, about, in ns
}

// warmUp makes one pass, to fill caches, to build what is built once, and to
// learn the cost.
func (r *runner) warmUp() {
	r.Before()
	start, chunk := r.Clock(), 1
	for at := 0; at < r.Ops; {
		to := min(at+chunk, r.Ops)
		r.Run(at, to)
		at, chunk = to, 2*chunk
	}
	r.learn(r.Clock()-start, r.Ops)
}

// restart begins a round.
func (r *runner) restart() { r.at, r.passes, r.spent = 0, 0, 0 }

// turn runs for a slice: until it is over, or until a pass is over and Least too.
// Who only has a pass to finish stops there.
func (r *runner) turn(finish bool) {
	r.Before()
	start := r.Clock()
	for {
		before := r.Clock()
		done := r.run(int(float64(look) / r.cost))
		now := r.Clock()
		r.learn(now-before, done)
		if spent := now - start; spent >= r.Slice || r.at == 0 && (finish || spent >= r.Least) {
			r.spent += spent
			return
		}
	}
}

// run does about n operations: a part of a pass, but not beyond its end, or some
// whole passes.
func (r *runner) run(n int) (done int) {
	for {
		to := min(r.at+max(1, n-done), r.Ops)
		if n >= r.Ops {
			to = r.Ops
		}
		r.Run(r.at, to)
		done += to - r.at
		if r.at = to; r.at == r.Ops {
			r.at = 0
			r.passes++
		}
		if done+r.Ops > n {
			return done
		}
	}
}

// learn corrects the cost of an operation, slowly, as operations differ.
func (r *runner) learn(took time.Duration, ops int) {
	const least = 0.5 // ns
	cost := max(least, float64(took)/float64(ops))
	if r.cost == 0 {
		r.cost = cost
	}
	r.cost += (cost - r.cost) / 4
}
