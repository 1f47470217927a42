package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	ctx := context.Background()
	s, err := startServer(ctx)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer s.close()
	h, err := measureHits(ctx, s, 20000, 9309)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.body, h.stored)
	for _, c := range h.contestants {
		fmt.Printf("%-40s %v %v %v  %.2f\n", c.name, c.at(.25), c.at(.5), c.at(.99), float64(c.at(.5))/float64(h.contestants[0].at(.5)))
	}
}
