//go:build race

package integration_test

// raced is whether this binary has the race detector, so that the command gets
// it, too.
const raced = true
