package robots

import "unsafe"

// An arena holds what groups share out: each takes a stretch of it, so that a
// file costs a few allocations and not some a group.
//
// It is made of chunks of up to 24 KiB, one of the sizes that the runtime keeps
// memory of at hand. In a program whose heap has been in use for a while, a file of
// a thousand groups takes a third more time in one piece, whose pages are new.
type arena[T any] struct {
	items    []T
	from     int // where the stretch of the open group begins
	expected int // how many items there are going to be besides those that there is room for
}

// chunk is how many items a chunk has: the runtime adds a header.
func (a *arena[T]) chunk() int {
	var item T
	return (24<<10 - 8) / int(unsafe.Sizeof(item))
}

// expect says how many items there are going to be.
func (a *arena[T]) expect(n int) { a.expected = n }

// add adds an item to the open stretch and returns it to be filled in.
func (a *arena[T]) add() *T { return &a.more(1)[0] }

// more adds items to the open stretch and returns them to be filled in.
func (a *arena[T]) more(n int) []T {
	if n > cap(a.items)-len(a.items) {
		a.grow(n)
	}
	end := len(a.items)
	a.items = a.items[:end+n]
	return a.items[end:]
}

// grow begins a new chunk with the open stretch and room for n items; what was taken
// stays where it is.
func (a *arena[T]) grow(n int) {
	open := a.items[a.from:]
	room := a.expected
	if room == 0 { // they were not counted
		room = max(cap(a.items), 4)
	}
	room = max(n, min(room, max(len(open), a.chunk()-len(open))))
	a.expected = max(0, a.expected-room)
	items := make([]T, len(open), len(open)+room)
	copy(items, open)
	a.items, a.from = items, 0
}

// length is that of the open stretch.
func (a *arena[T]) length() int { return len(a.items) - a.from }

// take returns the open stretch, nil if it is empty, and begins another.
func (a *arena[T]) take() []T {
	if a.length() == 0 {
		return nil
	}
	n := len(a.items)
	taken := a.items[a.from:n:n]
	a.from = n
	return taken
}

// room returns a list with room for so many items; nil for none.
func room[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, 0, n)
}

// extend adds a zero item to a list that nothing was cut from: behind its end
// all are zero, and to write that once more costs, while the garbage collector is
// at work, a look at each pointer.
func extend[T any](list []T) []T {
	if len(list) < cap(list) {
		return list[:len(list)+1]
	}
	var zero T
	return append(list, zero)
}
