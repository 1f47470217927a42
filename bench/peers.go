package main

import (
	"github.com/temoto/robotstxt"

	"github.com/polite-crawler/polite/bench/fixture"
)

// peers are the other libraries. The first is the one that the bars are about. Of
// the other Go libraries that were tried, the Go module proxy had none:
// slyrz/robots, jimsmart/grobotstxt, samclarke/robotstxt, benjaminestes/robots,
// itmayziii/robotstxt, rimiti/robotstxt.
func peers() []Engine { return []Engine{temoto()} }

// temoto is github.com/temoto/robotstxt, at its fastest: the group is looked for
// once and kept, nothing else of the file is.
func temoto() Engine {
	return Engine{
		Name: "temoto",
		Parse: func(body []byte) any {
			data, err := robotstxt.FromBytes(body)
			if err != nil {
				return nil
			}
			return data.FindGroup(fixture.Agent)
		},
		Check: func(parsed any, paths []string) (allowed int) {
			group := parsed.(*robotstxt.Group)
			for _, path := range paths {
				if group.Test(path) {
					allowed++
				}
			}
			return allowed
		},
	}
}
