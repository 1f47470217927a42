package main

import "github.com/polite-crawler/polite"

// A result is an answer as it is written, in text or JSON.
type result = polite.Result
