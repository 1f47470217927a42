package robots

import (
	"math"
	"sync"
)

// A note is what a line says, as places in the text: a quarter of a Field, and
// nothing that the garbage collector has to follow.
type note struct {
	at     uint32 // where the line's text begins
	line   uint32 // its number
	length uint16 // of the text, MaxLine at most
	key    uint16 // length of the key, which the text starts with
	value  uint16 // where in the text the value begins, which ends it; 0: no key and value
	kind   Kind
	fault  WarningKind
	notes  notes
	rule   Verb // what it does, of a rule that nothing but its place can be wrong with
}

// read reads what was noted of a line of text.
func (n *note) read(text string, f *Field) {
	f.Text = text[n.at:][:n.length]
	f.Key, f.Value = "", ""
	if f.OK = n.value > 0; f.OK {
		f.Key, f.Value = f.Text[:n.key], f.Text[n.value:]
	}
	f.Kind, f.Fault, f.notes = n.kind, n.fault, n.notes
}

// farthest is how far notes reach. A longer text is read line by line.
const farthest = math.MaxInt32

// A pad has room for notes.
type pad struct{ notes []note }

// pads are kept for the next text.
var pads = sync.Pool{New: func() any { return new(pad) }}

// maxKept is how many notes a pad has room for that is kept: 1.3 MB, enough for a
// text of the parsing limit whose lines have eight octets.
const maxKept = 1 << 16

// newPad returns a pad for a text of some size. Lines have 35 octets on average;
// there may be more notes than it has room for.
func newPad(size int) *pad {
	p := pads.Get().(*pad)
	if want := min(size/24+16, maxKept); cap(p.notes) < want {
		p.notes = make([]note, 0, want)
	}
	return p
}

// done gives the pad back for another text, with the notes that it may have made
// way for.
func (p *pad) done(notes []note) {
	if cap(notes) <= maxKept {
		p.notes = notes[:0]
		pads.Put(p)
	}
}
