package redisstore

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// An AddressError says why a text is no address of a Redis. It holds no
// password.
type AddressError struct {
	Address string // as given, without credentials and parameters
	Problem string // what is wrong with it
	Remedy  string // what to write instead
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("redis address %q: %s; %s", e.Address, e.Problem, e.Remedy)
}

// An address is where a Redis is and how to be let in: the options of one kind
// of client, the others nil.
type address struct {
	single   *redis.Options
	cluster  *redis.ClusterOptions
	sentinel *redis.FailoverOptions
}

const addressForm = "write it as redis://[user:password@]host:port[/db]"

// parseAddress reads an address. What go-redis says about a URL may hold its
// password, so nothing of that gets out but where it cannot.
func parseAddress(raw string) (address, error) {
	fail := func(problem, remedy string) (address, error) {
		return address{}, &AddressError{Address: withoutCredentials(raw), Problem: problem, Remedy: remedy}
	}
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		return fail("it has no scheme", addressForm)
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if strings.ContainsAny(tail, "@#") {
		// A password with one of "/?#" ends where it should not, and the rest of
		// it would be taken for path or parameters.
		return fail("there is a '@' or '#' behind the host", "percent-encode the password: '/' is %2F, '?' is %3F, '#' is %23, '@' is %40")
	}
	path, query, _ := strings.Cut(tail, "?")
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return fail("its parameters are malformed", "separate them by '&' and percent-encode their values")
	}
	userinfo, hosts := "", authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		userinfo, hosts = authority[:at+1], authority[at+1:]
	}
	first, others, _ := strings.Cut(hosts, ",")
	for other := range strings.SplitSeq(others, ",") {
		if other != "" {
			parameters.Add("addr", other)
		}
	}
	if strings.Count(first, ":") > 1 && first[0] != '[' {
		return fail("there is more than one ':' in its host", "write an IPv6 address in brackets, and the port behind it")
	}
	for _, host := range append([]string{first}, parameters["addr"]...) {
		if _, port, ok := strings.Cut(host[strings.LastIndexByte(host, ']')+1:], ":"); ok {
			n, err := strconv.Atoi(port)
			if port != "" && strings.Trim(port, "0123456789") == "" && (err != nil || n < 1 || n > 65535) {
				return fail("its port is no number from 1 to 65535", addressForm)
			}
		}
	}
	cluster := parameters.Get("cluster") == "true" || parameters.Has("addr")
	parameters.Del("cluster")
	clean := func(scheme, path string) string {
		return scheme + "://" + userinfo + first + path + "?" + parameters.Encode()
	}

	var a address
	switch {
	case scheme == "unix", (scheme == "redis" || scheme == "rediss") && !cluster:
		a.single, err = redis.ParseURL(clean(scheme, path))
	case scheme == "redis" || scheme == "rediss":
		if db := strings.Trim(path, "/"); db != "" && db != "0" {
			return fail("a Cluster has no database but 0", "leave the path out, and tell fleets apart by prefix")
		}
		a.cluster, err = redis.ParseClusterURL(clean(scheme, ""))
	case scheme == "redis+sentinel" || scheme == "rediss+sentinel":
		master, db, _ := strings.Cut(strings.Trim(path, "/"), "/")
		if master == "" {
			return fail("the name of the master is missing", "write it as redis+sentinel://host:26379,host:26379/master[/db]")
		}
		parameters.Set("master_name", master)
		a.sentinel, err = redis.ParseFailoverURL(clean(strings.TrimSuffix(scheme, "+sentinel"), "/"+db))
		if err == nil {
			// go-redis takes these for the Sentinels' own; here they are for
			// the servers, as everywhere else.
			a.sentinel.Username, a.sentinel.Password = a.sentinel.SentinelUsername, a.sentinel.SentinelPassword
			a.sentinel.SentinelUsername, a.sentinel.SentinelPassword = "", ""
		}
	default:
		return fail("its scheme is none of redis, rediss, unix, redis+sentinel, rediss+sentinel", addressForm)
	}
	var malformed *url.Error
	switch {
	case errors.As(err, &malformed):
		return fail("user, password, host or port are malformed", addressForm+", user and password percent-encoded")
	case err != nil:
		return fail(strings.TrimPrefix(err.Error(), "redis: "), addressForm)
	}
	return a, nil
}

// withoutCredentials cuts from a text that may be no URL at all whatever could be
// a password.
func withoutCredentials(raw string) string {
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme, rest = "", raw
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = "***@" + rest[at+1:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	if found {
		scheme += "://"
	}
	return scheme + rest
}

// describe names what a client is connected to, without credentials.
func describe(client redis.UniversalClient) string {
	switch c := client.(type) {
	case *redis.Client:
		return describeSingle(c.Options())
	case *redis.ClusterClient:
		return describeMany("redis", c.Options().TLSConfig != nil, c.Options().Addrs)
	default:
		return fmt.Sprintf("%T", client)
	}
}

func describeSingle(o *redis.Options) string {
	if o.Network == "unix" {
		return "unix://" + o.Addr + "?db=" + strconv.Itoa(o.DB)
	}
	return describeMany("redis", o.TLSConfig != nil, []string{o.Addr}) + "/" + strconv.Itoa(o.DB)
}

func describeMany(scheme string, tls bool, addresses []string) string {
	if tls {
		scheme = strings.Replace(scheme, "redis", "rediss", 1)
	}
	return scheme + "://" + strings.Join(addresses, ",")
}

func (a address) String() string {
	switch {
	case a.cluster != nil:
		return describeMany("redis", a.cluster.TLSConfig != nil, a.cluster.Addrs)
	case a.sentinel != nil:
		return describeMany("redis+sentinel", a.sentinel.TLSConfig != nil, a.sentinel.SentinelAddrs) +
			"/" + a.sentinel.MasterName + "/" + strconv.Itoa(a.sentinel.DB)
	default:
		return describeSingle(a.single)
	}
}
