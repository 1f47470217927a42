// A module of its own: the libraries that are measured here are none that the
// library or its users need.
module github.com/polite-crawler/polite/bench

go 1.26.0

require (
	github.com/polite-crawler/polite v0.0.0
	github.com/temoto/robotstxt v1.1.2
)

require (
	github.com/dunglas/httpsfv v1.1.2 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/polite-crawler/polite => ../
