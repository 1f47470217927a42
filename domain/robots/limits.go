package robots

// Limits bound what Parse reads. They are comparable. The zero value of each
// field is its default.
type Limits struct {
	// Bytes is the parsing limit; the text is cut at the last whole line within
	// it. RFC 9309 §2.5 asks for at least 500 KiB. Default: 512 KiB.
	Bytes int
}

// DefaultBytes is the parsing limit (P2).
const DefaultBytes = 512 << 10
