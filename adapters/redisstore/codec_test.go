package redisstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/polite-crawler/polite/domain/policy"
	"github.com/polite-crawler/polite/domain/site"
)

var update = flag.Bool("update", false, "write testdata anew")

// The writer's clock in these tests, and the origin.
var (
	wall   = time.Date(2026, 11, 21, 1, 2, 3, 456789012, time.UTC)
	origin = parseOrigin("https://example.com:8443")
)

func parseOrigin(text string) site.Origin {
	o, err := site.ParseOrigin(text)
	if err != nil {
		panic(err)
	}
	return o
}

func newTestCodec(t testing.TB) *codec {
	t.Helper()
	c, err := newCodec()
	if err != nil {
		t.Fatalf("newCodec: %v", err)
	}
	return c
}

const body = "User-agent: *\nDisallow: /private\nSitemap: https://example.com/sitemap.xml\n"

// failing is a snapshot with every field set.
func failing() policy.Snapshot {
	return policy.Snapshot{
		Origin: origin, Rev: "not in the record",
		Outcome: policy.Unreachable, Failure: policy.FailedTimeout, Status: 503, Challenged: true, Hops: 2,
		FinalURL:  "https://www.example.com/robots.txt",
		FetchedAt: wall.Add(-1234567), RefreshAt: wall.Add(4 * time.Minute), FreshUntil: wall.Add(5 * time.Minute),
		Failures: 4, FailingSince: wall.Add(-time.Hour),
		Copy: policy.Copy{
			Hash: policy.HashOf([]byte(body)), Body: []byte(body), Truncated: true, Charset: "windows-1252",
			Validators: policy.Validators{
				URL: "https://example.com/r", ETag: `"33a64df5"`, LastModified: "Wed, 21 Oct 2026 07:28:00 GMT",
			},
			FetchedAt: wall.Add(-72 * time.Hour), ConfirmedAt: wall.Add(-24 * time.Hour),
		},
	}
}

// succeeded is a snapshot as most are.
func succeeded(content []byte) policy.Snapshot {
	return policy.Snapshot{
		Origin: origin, Outcome: policy.Successful, Status: 200, FinalURL: origin.RobotsURL(),
		FetchedAt: wall, RefreshAt: wall.Add(20 * time.Hour), FreshUntil: wall.Add(24 * time.Hour),
		Copy: policy.Copy{
			Hash: policy.HashOf(content), Body: content, Charset: "utf-8", FetchedAt: wall, ConfirmedAt: wall,
			Validators: policy.Validators{URL: origin.RobotsURL(), ETag: `"1"`},
		},
	}
}

var large = bytes.Repeat([]byte(body), 30)

// goldens are what must stay readable, and unchanged, for as long as the version
// does: workers of a fleet are not all replaced at the same time.
func goldens() map[string]policy.Snapshot {
	return map[string]policy.Snapshot{
		"failing":   failing(),
		"succeeded": succeeded([]byte(body)),
		"large":     succeeded(large),
		"empty":     succeeded([]byte{}),
		"not-found": {Origin: origin, Outcome: policy.NotFound, Status: 404, FinalURL: origin.RobotsURL(), FetchedAt: wall},
		"looping": {
			Origin: origin, Outcome: policy.BrokenRedirect, Stop: policy.StopLoop, Status: 301, Hops: 1, FinalURL: origin.RobotsURL(), FetchedAt: wall,
		},
	}
}

const goldenFile = "testdata/v1.golden"

func TestGolden(t *testing.T) {
	c := newTestCodec(t)
	if *update {
		writeGolden(t, c)
	}
	file, err := os.Open(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	records := make(map[string]*record)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var name, field, value string
		if _, err := fmt.Sscanf(lines.Text()+" ", "%s %s %s", &name, &field, &value); err != nil && value != "" {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		octets, err := hex.DecodeString(value)
		if err != nil {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		if records[name] == nil {
			records[name] = &record{}
		}
		switch field {
		case "header":
			records[name].header = octets
		case "digest":
			records[name].digest = octets
		case "body":
			records[name].body = octets
		}
	}
	for name, want := range goldens() {
		t.Run(name, func(t *testing.T) {
			r := records[name]
			if r == nil {
				t.Fatalf("%s has no %s; run go test -update", goldenFile, name)
			}
			got, err := c.decode(origin, *r, time.Hour, wall)
			if err != nil {
				t.Fatalf("decode: %v", err)
			}
			want.Rev = ""
			if diff := cmp.Diff(want, *got, cmp.AllowUnexported(site.Origin{})); diff != "" {
				t.Errorf("what was written reads otherwise now (-want +got):\n%s", diff)
			}
			again, err := c.encode(&want, wall, time.Hour)
			if err != nil {
				t.Fatalf("encode: %v", err)
			}
			if !bytes.Equal(again.header, r.header) || !bytes.Equal(again.digest, r.digest) {
				t.Errorf("header or digest is written otherwise now; if that is meant, the version has to change")
			}
			// How zstd compresses may change with its version; what it reads must not.
			if len(r.body) > 0 && again.body[0] != r.body[0] {
				t.Errorf("the body's coding is %d, was %d", again.body[0], r.body[0])
			}
		})
	}
}

func writeGolden(t *testing.T, c *codec) {
	t.Helper()
	var text strings.Builder
	for _, name := range []string{"failing", "succeeded", "large", "empty", "not-found", "looping"} {
		s := goldens()[name]
		r, err := c.encode(&s, wall, time.Hour)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		for _, field := range []struct {
			name  string
			value []byte
		}{{"header", r.header}, {"digest", r.digest}, {"body", r.body}} {
			if field.value != nil {
				fmt.Fprintf(&text, "%s %s %x\n", name, field.name, field.value)
			}
		}
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A new outcome or failure has to be made known to the codec.
func TestTheCodecKnowsAllOutcomes(t *testing.T) {
	for _, value := range []fmt.Stringer{lastOutcome, lastFailure, lastStop} {
		if strings.HasPrefix(value.String(), "unknown-") {
			t.Errorf("%v does not exist", value)
		}
	}
	for _, value := range []fmt.Stringer{lastOutcome + 1, lastFailure + 1, lastStop + 1} {
		if !strings.HasPrefix(value.String(), "unknown-") {
			t.Errorf("%v exists: raise the last value that the codec lets through", value)
		}
	}
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	c := newTestCodec(t)
	rapid.Check(t, func(r *rapid.T) {
		at := func(name string) time.Time {
			if rapid.Bool().Draw(r, name+" is none") {
				return time.Time{}
			}
			return wall.Add(time.Duration(rapid.Int64Range(-int64(1e18), int64(1e18)).Draw(r, name)))
		}
		text := func(name string) string { return string(rapid.SliceOf(rapid.Byte()).Draw(r, name)) }
		s := policy.Snapshot{
			Origin:     origin,
			Outcome:    policy.Outcome(rapid.IntRange(0, int(lastOutcome)).Draw(r, "outcome")),
			Failure:    policy.Failure(rapid.IntRange(0, int(lastFailure)).Draw(r, "failure")),
			Stop:       policy.Stop(rapid.IntRange(0, int(lastStop)).Draw(r, "stop")),
			Status:     rapid.Int().Draw(r, "status"),
			Challenged: rapid.Bool().Draw(r, "challenged"),
			Hops:       rapid.Int().Draw(r, "hops"),
			FinalURL:   text("final URL"),
			FetchedAt:  at("fetched"), RefreshAt: at("refresh"), FreshUntil: at("fresh"), FailingSince: at("failing"),
			Failures: rapid.Int().Draw(r, "failures"),
		}
		if rapid.Bool().Draw(r, "copy") {
			content := append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, 3000).Draw(r, "body")...)
			content = bytes.Repeat(content, rapid.IntRange(1, 5).Draw(r, "times"))
			s.Copy = policy.Copy{
				Hash: policy.HashOf(content), Body: content, Truncated: rapid.Bool().Draw(r, "truncated"),
				Charset:    text("charset"),
				Validators: policy.Validators{URL: text("URL"), ETag: text("ETag"), LastModified: text("Last-Modified")},
				FetchedAt:  at("copy fetched"), ConfirmedAt: at("confirmed"),
			}
		}
		life := time.Duration(rapid.Int64Range(1, math.MaxInt64/1_000_000).Draw(r, "life")) * time.Millisecond
		encoded, err := c.encode(&s, wall, life)
		if err != nil {
			r.Fatalf("encode: %v", err)
		}
		got, err := c.decode(origin, encoded, life, wall)
		if err != nil {
			r.Fatalf("decode: %v", err)
		}
		if diff := cmp.Diff(s, *got, cmp.AllowUnexported(site.Origin{})); diff != "" {
			r.Fatalf("decoded is not what was encoded (-want +got):\n%s", diff)
		}
	})
}

// SEMANTICS C7: no bit of a record can change without being noticed.
func TestEveryFlippedBitIsNoticed(t *testing.T) {
	c := newTestCodec(t)
	for name, s := range goldens() {
		whole, err := c.encode(&s, wall, time.Hour)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		for field, octets := range map[string]*[]byte{"header": &whole.header, "digest": &whole.digest, "body": &whole.body} {
			intact := *octets
			for bit := range len(intact) * 8 {
				*octets = bytes.Clone(intact)
				(*octets)[bit/8] ^= 1 << (bit % 8)
				got, err := c.decode(origin, whole, time.Hour, wall)
				// zstd's frames have a few bits that mean nothing.
				if err == nil && (field != "body" || !bytes.Equal(got.Copy.Body, s.Copy.Body)) {
					t.Errorf("%s: bit %d of the %s flipped: not noticed", name, bit, field)
				}
			}
			for n := range intact {
				*octets = intact[:n]
				if _, err := c.decode(origin, whole, time.Hour, wall); err == nil {
					t.Errorf("%s: %s cut to %d octets: not noticed", name, field, n)
				}
			}
			*octets = intact
		}
		if _, err := c.decode(parseOrigin("https://other.example"), whole, time.Hour, wall); err == nil {
			t.Errorf("%s: read under another origin: not noticed", name)
		}
	}
}

// Records whose checksum is right, as somebody may have made it up.
func TestHostileRecords(t *testing.T) {
	c := newTestCodec(t)
	s := succeeded([]byte(body))
	good, err := c.encode(&s, wall, time.Hour)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	seal := func(r record) record {
		binary.LittleEndian.PutUint32(r.header[1:], c.checksum(origin, r.digest, r.header[headerStart:]))
		return r
	}
	changed := func(change func(r *record)) record {
		r := record{bytes.Clone(good.header), bytes.Clone(good.digest), bytes.Clone(good.body)}
		change(&r)
		return seal(r)
	}
	bomb, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, maxBody+1)
	exploding := append([]byte{bodyZstd}, bomb.EncodeAll(zeros, nil)...)
	fits := append([]byte{bodyZstd}, bomb.EncodeAll(zeros[:maxBody], nil)...)
	if len(exploding) > 10_000 {
		t.Fatalf("the bomb has %d octets: it is none", len(exploding))
	}
	outcome := headerStart + len(binary.AppendUvarint(nil, uint64(flagCopy|flagRobotsURL|flagValidatedFinalURL|flagUTF8|flagTimes*0x37)))
	for _, row := range []struct {
		name string
		r    record
		ok   bool
	}{
		{"as it was", changed(func(*record) {}), true},
		{"an outcome of a later version", changed(func(r *record) { r.header[outcome] = byte(lastOutcome) + 1 }), false},
		{"a failure of a later version", changed(func(r *record) { r.header[outcome+1] = byte(lastFailure) + 1 }), false},
		{"something behind the end", changed(func(r *record) { r.header = append(r.header, 0) }), false},
		{"cut short", changed(func(r *record) { r.header = r.header[:len(r.header)-1] }), false},
		{"a text longer than the record", changed(func(r *record) {
			r.header = binary.AppendUvarint(r.header[:len(r.header)-1], math.MaxUint64)
		}), false},
		{"a varint without end", changed(func(r *record) {
			r.header = append(r.header[:headerStart], bytes.Repeat([]byte{0xff}, 40)...)
		}), false},
		{"no digest for a copy", changed(func(r *record) { r.digest = nil }), false},
		{"a digest of another length", changed(func(r *record) { r.digest = r.digest[:31] }), false},
		{"an unknown coding", changed(func(r *record) { r.body[0] = 9 }), false},
		{"a body without coding", changed(func(r *record) { r.body = r.body[:0] }), false},
		{"a body that explodes", changed(func(r *record) {
			hash := policy.HashOf(zeros)
			r.digest, r.body = hash[:], exploding
		}), false},
		{"a body as large as allowed", changed(func(r *record) {
			hash := policy.HashOf(zeros[:maxBody])
			r.digest, r.body = hash[:], fits
		}), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := c.decode(origin, row.r, time.Hour, wall)
			if (err == nil) != row.ok {
				t.Errorf("decode: %v, want success: %v", err, row.ok)
			}
			if (got == nil) == (err == nil) {
				t.Errorf("decode returned %v and error %v", got, err)
			}
		})
	}
	if _, err := c.encode(&policy.Snapshot{Copy: policy.Copy{Hash: policy.Hash{1}, Body: zeros}}, wall, time.Hour); err == nil {
		t.Errorf("a body that could not be read back is encoded")
	}
}

// Whatever the clocks say, times come out in the reader's (ports.Cache), and the
// same everywhere where clocks agree.
func TestPutTime(t *testing.T) {
	const life = 24 * time.Hour
	for _, row := range []struct {
		name        string
		left, ahead time.Duration // of life; how far the reader's clock is ahead of the writer's
		age         time.Duration // since the put
		want        time.Duration // from the writer's reading
	}{
		{"at once", life, 0, 0, 0},
		{"an hour later", life - time.Hour, 0, time.Hour, 0},
		{"Redis took a second to store it", life - time.Hour + time.Second, 0, time.Hour, 0},
		{"the reader is a second ahead", life - time.Hour, time.Second, time.Hour, 0},
		{"the reader is two days ahead", life - time.Hour, 48 * time.Hour, time.Hour, 48 * time.Hour},
		{"the reader is two days behind", life - time.Hour, -48 * time.Hour, time.Hour, -48 * time.Hour},
		{"the key has no end", -1, 48 * time.Hour, time.Hour, 0},
		{"the key has more life than it was given", life + time.Hour, 0, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := putTime(wall, life, row.left, wall.Add(row.age+row.ahead))
			if want := wall.Add(row.want); !got.Equal(want) {
				t.Errorf("putTime is %v off", got.Sub(want))
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	c := newTestCodec(f)
	for _, s := range goldens() {
		r, err := c.encode(&s, wall, time.Hour)
		if err != nil {
			f.Fatalf("encode: %v", err)
		}
		f.Add(r.header, r.digest, r.body, true)
	}
	f.Fuzz(func(t *testing.T, header, digest, coded []byte, seal bool) {
		r := record{header, digest, coded}
		if seal && len(header) > headerStart { // else hardly anything gets past the checksum
			r.header = bytes.Clone(header)
			r.header[0] = version
			binary.LittleEndian.PutUint32(r.header[1:], c.checksum(origin, digest, r.header[headerStart:]))
		}
		s, err := c.decode(origin, r, time.Hour, wall)
		if err != nil {
			return
		}
		if s.Outcome > lastOutcome || s.Failure > lastFailure || s.Copy.Body != nil && policy.HashOf(s.Copy.Body) != s.Copy.Hash {
			t.Errorf("decoded to what cannot be: %+v", s)
		}
	})
}

func TestChecksumIsCastagnoli(t *testing.T) {
	// A table that another process makes must be the same (RFC 3720 B.4).
	if got := crc32.Update(0, newTestCodec(t).crc, make([]byte, 32)); got != 0x8a9136aa {
		t.Errorf("CRC-32C of 32 zeros is %#x", got)
	}
}

func benchmarks() map[string]policy.Snapshot {
	return map[string]policy.Snapshot{
		"not-found":  goldens()["not-found"],
		"small body": succeeded([]byte(body)),
		"10 KB body": succeeded(bytes.Repeat([]byte(body), 10_000/len(body))),
	}
}

func BenchmarkEncode(b *testing.B) {
	c := newTestCodec(b)
	for name, s := range benchmarks() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.encode(&s, wall, time.Hour); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	c := newTestCodec(b)
	for name, s := range benchmarks() {
		r, err := c.encode(&s, wall, time.Hour)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.decode(origin, r, time.Hour, wall); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
