package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/polite-crawler/polite"
	"github.com/polite-crawler/polite/domain/policy"
)

// network are the flags of every command that may fetch a robots.txt, and share
// what it learns.
type network struct {
	Timeout      span   `group:"fetch" short:"t" default:"30s" placeholder:"TIME" help:"The longest that one request may take, like 500ms or 10s; at most 1m. Default: ${default}."`
	MaxBytes     size   `group:"fetch" short:"s" default:"512KiB" placeholder:"SIZE" help:"How much of a robots.txt is read, in bytes, KiB or MiB. RFC 9309 asks for 500KiB or more. Default: ${default}."`
	MaxRedirects hops   `group:"fetch" short:"r" default:"5" placeholder:"N" help:"How many redirects of a robots.txt are followed. Default: ${default}."`
	MaxFetches   width  `group:"fetch" default:"256" placeholder:"N" help:"How many origins are fetched from at once. Default: ${default}."`
	Charset      string `group:"fetch" short:"c" default:"utf-8" placeholder:"NAME" help:"What a robots.txt is written in that does not say so itself; \"binary\" leaves its octets alone. Default: ${default}."`
	PublicOnly   bool   `group:"fetch" help:"Connect to no private, loopback or link-local address."`
	CAFile       string `group:"fetch" name:"ca-file" placeholder:"FILE" help:"Trust the certificates in this PEM file, in place of the system's."`
	Proxy        string `group:"fetch" placeholder:"URL" help:"Send every request through this proxy: http, https, socks5 or socks5h."`

	Budget         while `group:"fetch" placeholder:"TIME" help:"The longest that all requests for one robots.txt may take, at most 1h. Default: 1m, or twice --timeout if that is longer."`
	DialTimeout    span  `group:"fetch" default:"5s" placeholder:"TIME" help:"The longest for finding an address and connecting to it. Default: ${default}."`
	TLSTimeout     span  `group:"fetch" name:"tls-timeout" default:"5s" placeholder:"TIME" help:"The longest for the TLS handshake. Default: ${default}."`
	HeaderTimeout  span  `group:"fetch" default:"10s" placeholder:"TIME" help:"The longest from the request to the end of the answer's header. Default: ${default}."`
	MaxHeaderBytes size  `group:"fetch" default:"64KiB" placeholder:"SIZE" help:"How long that header may be. Default: ${default}."`
	MaxIdle        width `group:"fetch" default:"256" placeholder:"N" help:"How many idle connections are kept. Default: ${default}."`
	IdleTime       span  `group:"fetch" default:"5s" placeholder:"TIME" help:"How long an idle connection is kept. Default: ${default}."`

	Lifetimes lifetimes `group:"share" placeholder:"NAME=TIME,…" help:"How long what was learned holds, where the default is not meant: min, max, not-found, unavailable, soft-not-found, last-good-max (docs/semantics.md), like max=48h,not-found=1h."`

	redisServer `embed:""`
	Outage      string `group:"share" enum:"local,closed" default:"local" placeholder:"NAME" help:"While Redis is down, answer alone (local), or with an error what is not known already (closed). Default: ${default}."`

	logging `embed:""`
}

// outages are the names of --outage.
var outages = map[string]polite.Outage{"local": polite.Local, "closed": polite.Closed}

// validate refuses what can be parsed and not be meant.
func (n *network) validate() error {
	if n.PublicOnly && n.Proxy != "" {
		return errors.New("--public-only and --proxy: it is the proxy that connects; leave one out, and let the proxy refuse private addresses")
	}
	if err := n.redisServer.validate(); err != nil {
		return err
	}
	if n.Redis == "" && n.Outage == "closed" {
		return errors.New("--outage closed: nothing is shared, so that nothing can be down; name the fleet's Redis with --redis, or leave it out")
	}
	if n.Budget != 0 && time.Duration(n.Budget) <= time.Duration(n.Timeout) {
		return fmt.Errorf("--budget %s: it is not longer than --timeout %s, the time of one request; make it longer, or that shorter",
			time.Duration(n.Budget), time.Duration(n.Timeout))
	}
	if n.Redis != "" && n.MaxBytes > polite.MaxSharedBytes {
		return fmt.Errorf("--max-bytes and --redis: %d octets are more than is shared; give at most %d", n.MaxBytes, polite.MaxSharedBytes)
	}
	return validCharset(n.Charset)
}

// open returns the Gate that a crawler asks. done closes it.
func (n *network) open(ctx context.Context, who crawler, std streams) (gate *polite.Gate, done func(), err error) {
	logger := n.logger(std)
	config, err := n.config(who, logger)
	if err != nil {
		return nil, nil, err
	}
	if n.Redis != "" {
		hushRedis(logger)
	}
	return polite.New(ctx, config)
}

// config is what the flags mean to the library.
func (n *network) config(who crawler, logger zerolog.Logger) (config polite.Config, err error) {
	config = polite.Config{
		UserAgent: who.Agent[0],
		Dialect:   who.Dialect,
		Profile:   who.Profile,
		Choices:   who.choices(),
		Outage:    outages[n.Outage],
		Fetch: polite.Fetch{
			MaxBytes:     int(n.MaxBytes),
			MaxRedirects: int(n.MaxRedirects),
			MaxFetches:   int(n.MaxFetches),
			Charset:      n.Charset,
			PublicOnly:   n.PublicOnly,

			Budget:         time.Duration(n.Budget),
			Timeout:        time.Duration(n.Timeout),
			DialTimeout:    time.Duration(n.DialTimeout),
			TLSTimeout:     time.Duration(n.TLSTimeout),
			HeaderTimeout:  time.Duration(n.HeaderTimeout),
			MaxHeaderBytes: int(n.MaxHeaderBytes),
			MaxIdle:        int(n.MaxIdle),
			IdleTime:       time.Duration(n.IdleTime),
		},
		Lifetimes: policy.Lifetimes(n.Lifetimes),
		Logger:    logger,
	}
	if n.MaxRedirects == 0 {
		config.Fetch.MaxRedirects = -1 // there, 0 is the default
	}
	if config.Agents, err = tokensOf(who.Agent); err != nil {
		return config, err
	}
	if n.CAFile != "" {
		if config.Fetch.RootCAs, err = readCAs(n.CAFile); err != nil {
			return config, fmt.Errorf("--ca-file: %w", err)
		}
	}
	if err := n.redisServer.set(&config); err != nil {
		return config, err
	}
	if n.Proxy != "" {
		if config.Fetch.Proxy, err = parseProxy(n.Proxy); err != nil {
			return config, fmt.Errorf("--proxy: %w", err)
		}
	}
	return config, nil
}

// readCAs reads the certificates to trust.
func readCAs(name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate; give a file with PEM blocks that begin with -----BEGIN CERTIFICATE-----", printable(name))
	}
	return pool, nil
}

// parseProxy reads the address of a proxy. Its errors never show the address,
// which may hold a password.
func parseProxy(address string) (*url.URL, error) {
	proxy, err := url.Parse(address)
	if err == nil && proxy.Hostname() != "" {
		switch proxy.Scheme {
		case "http", "https", "socks5", "socks5h":
			return proxy, nil
		}
	}
	return nil, errors.New("the address is not that of a proxy; write it as http://host:port, or with https, socks5 or socks5h")
}
