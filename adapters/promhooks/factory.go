package promhooks

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// A factory makes the metrics and remembers them for the Collector.
type factory struct {
	options Options
	metrics *Metrics
}

// add remembers a collector.
func (f *factory) add(c prometheus.Collector) { f.metrics.all = append(f.metrics.all, c) }

// check refuses what Prometheus would at the first scrape.
func (f *factory) check() error {
	if err := prometheus.NewPedanticRegistry().Register(f.metrics); err != nil {
		return fmt.Errorf("promhooks: %w; correct Namespace or Labels", err)
	}
	return nil
}

func (f *factory) opts(name, help string) prometheus.Opts {
	return prometheus.Opts{Namespace: f.options.Namespace, Name: name, Help: help, ConstLabels: f.options.Labels}
}

func (f *factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts(f.opts(name, help)))
	f.add(c)
	return c
}

// counters makes one for each value of a label.
func (f *factory) counters(name, help, label string, values []string) (all []prometheus.Counter) {
	vector := prometheus.NewCounterVec(prometheus.CounterOpts(f.opts(name, help)), []string{label})
	f.add(vector)
	for _, value := range values {
		all = append(all, vector.WithLabelValues(value))
	}
	return all
}

func (f *factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts(f.opts(name, help)))
	f.add(g)
	return g
}

func (f *factory) gauges(name, help, label string) *prometheus.GaugeVec {
	vector := prometheus.NewGaugeVec(prometheus.GaugeOpts(f.opts(name, help)), []string{label})
	f.add(vector)
	return vector
}

func (f *factory) histogramOpts(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: f.options.Namespace, Name: name, Help: help, ConstLabels: f.options.Labels, Buckets: buckets}
}

func (f *factory) histogram(name, help string, buckets []float64) prometheus.Observer {
	h := prometheus.NewHistogram(f.histogramOpts(name, help, buckets))
	f.add(h)
	return h
}

// histograms makes one for each value of a label.
func (f *factory) histograms(name, help, label string, buckets []float64, values []string) (all []prometheus.Observer) {
	vector := prometheus.NewHistogramVec(f.histogramOpts(name, help, buckets), []string{label})
	f.add(vector)
	for _, value := range values {
		all = append(all, vector.WithLabelValues(value))
	}
	return all
}
