package promhooks_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/polite-crawler/polite/adapters/promhooks"
	"github.com/polite-crawler/polite/domain/policy"
)

func Example() {
	metrics, err := promhooks.New(promhooks.Options{Labels: prometheus.Labels{"fleet": "news"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry() // or prometheus.DefaultRegisterer
	registry.MustRegister(metrics)

	hooks := metrics.Hooks() // goes into polite.Config.Hooks; here we are the Gate
	hooks.Decided(policy.Decision{Allowed: true, Reason: policy.ReasonNoRule})

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, family := range families {
		if family.GetName() == "polite_decisions_total" {
			for _, series := range family.GetMetric() {
				if series.GetCounter().GetValue() > 0 {
					fmt.Println(series.GetCounter().GetValue(), "decision, in", len(families), "families of metrics")
				}
			}
		}
	}
	// Output: 1 decision, in 14 families of metrics
}
