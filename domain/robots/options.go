package robots

// Options say how Parse reads a text. They are comparable; the zero Options read
// by the Default dialect, up to the parsing limit.
type Options struct {
	// Dialect is how the text is understood (P12). Default: the Default dialect.
	Dialect Dialect
	// Limits bound what is kept (P2, P11). Default: 512 KiB, and nothing else.
	Limits Limits
}
