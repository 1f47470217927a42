package redisstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"os"
	"slices"
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
	c, err := newCodec(policy.Scope{})
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

// large is over the bound from which on bodies are coded for their size.
var large = bytes.Repeat([]byte(body), zstdFrom/len(body)+1)

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

const goldenFile = "testdata/v2.golden"

// rev is the state of all values in these tests.
var rev = policy.Rev(append([]byte{version}, "0123456789"...))

func encode(t testing.TB, c *codec, s policy.Snapshot) value {
	t.Helper()
	v, err := c.encode(&s, rev, wall, time.Hour)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return v
}

// end is where the body of a whole value begins.
func end(v value) int {
	at, ok := v.headerEnd()
	if !ok {
		panic("the header is cut short")
	}
	return at
}

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
	values := make(map[string]value)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		octets, err := hex.DecodeString(text)
		if err != nil {
			t.Fatalf("line %q: %v", lines.Text(), err)
		}
		values[name] = octets
	}
	for name, want := range goldens() {
		t.Run(name, func(t *testing.T) {
			v := values[name]
			if v == nil {
				t.Fatalf("%s has no %s; run go test -update", goldenFile, name)
			}
			got, fits, err := c.decode(origin, v, true, time.Hour, wall)
			if err != nil || !fits {
				t.Fatalf("decode: fits %v, %v", fits, err)
			}
			want.Rev = ""
			if diff := cmp.Diff(want, *got, cmp.AllowUnexported(site.Origin{})); diff != "" {
				t.Errorf("what was written reads otherwise now (-want +got):\n%s", diff)
			}
			again := encode(t, c, want)
			if !bytes.Equal(again[:end(again)], v[:end(v)]) {
				t.Errorf("the header is written otherwise now; if that is meant, the version has to change")
			}
			// How bodies are compressed may change with the library; what is read
			// must not.
			if len(v) > end(v) && again[end(again)+4] != v[end(v)+4] {
				t.Errorf("the body's coding is %d, was %d", again[end(again)+4], v[end(v)+4])
			}
		})
	}
}

func writeGolden(t *testing.T, c *codec) {
	t.Helper()
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(goldens())) {
		fmt.Fprintf(&text, "%s %x\n", name, []byte(encode(t, c, goldens()[name])))
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(goldenFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The dictionary is part of what is stored.
func TestDictionary(t *testing.T) {
	const want = "sha256:b1171707e84a2df817921fa2ef5e59730c34b1379103a0aadcb929266f2140b0"
	if got := policy.HashOf(dictionary).String(); got != want {
		t.Errorf("the dictionary is another, %s: with it nothing can be read that was stored; if that is meant, the version has to change", got)
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
		encoded, err := c.encode(&s, rev, wall, life)
		if err != nil {
			r.Fatalf("encode: %v", err)
		}
		got, fits, err := c.decode(origin, encoded, true, life, wall)
		if err != nil || !fits {
			r.Fatalf("decode: fits %v, %v", fits, err)
		}
		if diff := cmp.Diff(s, *got, cmp.AllowUnexported(site.Origin{})); diff != "" {
			r.Fatalf("decoded is not what was encoded (-want +got):\n%s", diff)
		}
	})
}

// SEMANTICS C7: no bit of a value but those of its revision, which mean nothing,
// can change without being noticed.
func TestEveryFlippedBitIsNoticed(t *testing.T) {
	c := newTestCodec(t)
	for name, s := range goldens() {
		whole := encode(t, c, s)
		for bit := range len(whole) * 8 {
			if bit >= 8 && bit < 8*revLength {
				continue
			}
			flipped := bytes.Clone(whole)
			flipped[bit/8] ^= 1 << (bit % 8)
			got, _, err := c.decode(origin, flipped, true, time.Hour, wall)
			// Compressed bodies have a few bits that mean nothing.
			if err == nil && (bit/8 < end(whole)+4 || !bytes.Equal(got.Copy.Body, s.Copy.Body)) {
				t.Errorf("%s: bit %d flipped: not noticed", name, bit)
			}
		}
		for n := range whole {
			if got, _, err := c.decode(origin, whole[:n], true, time.Hour, wall); err == nil {
				t.Errorf("%s: cut to %d of %d octets: not noticed: %v", name, n, len(whole), got)
			}
		}
		for n := range end(whole) {
			if _, _, err := c.decode(origin, whole[:n], false, time.Hour, wall); err == nil {
				t.Errorf("%s: header cut to %d octets: not noticed", name, n)
			}
		}
		if _, _, err := c.decode(parseOrigin("https://other.example"), whole, true, time.Hour, wall); err == nil {
			t.Errorf("%s: read under another origin: not noticed", name)
		}
	}
}

// Values whose checksums are right, as somebody may have made them up.
func TestHostileValues(t *testing.T) {
	c := newTestCodec(t)
	good := encode(t, c, succeeded([]byte(body)))
	digest := policy.HashOf([]byte(body))
	// made is a value of a header, and of a body with the checksum of a text.
	made := func(header, coded, text []byte) value {
		v := bytes.Clone(good[:headerStart])
		v = append(v, header...)
		v[revLength], v[revLength+1], v[revLength+2] = byte(len(header)), byte(len(header)>>8), byte(len(header)>>16)
		binary.LittleEndian.PutUint32(v[headerStart-4:], c.headerSum(origin, header))
		v = binary.LittleEndian.AppendUint32(v, c.bodySum(&digest, text))
		return append(v, coded...)
	}
	head := good[headerStart:end(good)]
	coded := good[end(good)+4:]
	changed := func(change func(header []byte) []byte) value {
		return made(change(bytes.Clone(head)), coded, []byte(body))
	}
	withBody := func(coded, text []byte) value { return made(head, coded, text) }
	bomb, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, maxBody+1)
	exploding := append([]byte{codingZstd}, bomb.EncodeAll(zeros, nil)...)
	fits := append([]byte{codingZstd}, bomb.EncodeAll(zeros[:maxBody], nil)...)
	if len(exploding) > 10_000 {
		t.Fatalf("the bomb has %d octets: it is none", len(exploding))
	}
	outcome := len(binary.AppendUvarint(nil, uint64(flagCopy|flagRobotsURL|flagValidatedFinalURL|flagUTF8|flagTimes*0x37)))
	for _, row := range []struct {
		name string
		v    value
		ok   bool
	}{
		{"as it was", changed(func(h []byte) []byte { return h }), true},
		{"an outcome of a later version", changed(func(h []byte) []byte { h[outcome] = byte(lastOutcome) + 1; return h }), false},
		{"a failure of a later version", changed(func(h []byte) []byte { h[outcome+1] = byte(lastFailure) + 1; return h }), false},
		{"something behind the end", changed(func(h []byte) []byte { return append(h, 0) }), false},
		{"cut short", changed(func(h []byte) []byte { return h[:len(h)-1] }), false},
		{"a text longer than the header", changed(func(h []byte) []byte {
			return binary.AppendUvarint(h[:len(h)-32-4], math.MaxUint64)
		}), false},
		{"a varint without end", changed(func([]byte) []byte { return bytes.Repeat([]byte{0xff}, 40) }), false},
		{"no header", made(nil, coded, []byte(body)), false},
		{"no digest for a copy", changed(func(h []byte) []byte { return h[:len(h)-32] }), false},
		{"the digest of no copy", changed(func(h []byte) []byte { clear(h[len(h)-32:]); return h }), false},
		{"an unknown coding", withBody(append([]byte{9}, coded[1:]...), []byte(body)), false},
		{"a body without coding", withBody(nil, nil), false},
		{"a body that explodes", withBody(exploding, zeros), false},
		{"a body as large as allowed", withBody(fits, zeros[:maxBody]), true},
		{"a short body that explodes", withBody(append(binary.AppendUvarint([]byte{codingS2}, 1<<31), 0), nil), false},
		{"a short body that refers to nothing", withBody([]byte{codingS2, 200, 1, 0xfe, 0xff, 0xff}, nil), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _, err := c.decode(origin, row.v, true, time.Hour, wall)
			if (err == nil) != row.ok {
				t.Errorf("decode: %v, want success: %v", err, row.ok)
			}
			if (got == nil) == (err == nil) {
				t.Errorf("decode returned %v and error %v", got, err)
			}
		})
	}
	for name, s := range map[string]policy.Snapshot{
		"a body that could not be read back":   {Copy: policy.Copy{Hash: policy.Hash{1}, Body: zeros}},
		"a header that could not be read back": {FinalURL: strings.Repeat("x", 1<<24)},
	} {
		if _, err := c.encode(&s, rev, wall, time.Hour); err == nil {
			t.Errorf("%s is encoded", name)
		}
	}
}

// Whatever the clocks say, times come out in the reader's (ports.Cache), and the
// same everywhere where clocks agree.
func TestPuts(t *testing.T) {
	const life = 24 * time.Hour
	for _, row := range []struct {
		name        string
		left, ahead time.Duration // of life; how far the reader's clock is ahead of the writer's
		age         time.Duration // since the put
		want        time.Duration // from the writer's reading
		fits        bool
	}{
		{"at once", life, 0, 0, 0, true},
		{"an hour later", life - time.Hour, 0, time.Hour, 0, true},
		{"Redis took a second to store it", life - time.Hour + time.Second, 0, time.Hour, 0, true},
		{"the reader is a second ahead", life - time.Hour, time.Second, time.Hour, 0, true},
		{"the reader is two days ahead", life - time.Hour, 48 * time.Hour, time.Hour, 48 * time.Hour, false},
		{"the reader is two days behind", life - time.Hour, -48 * time.Hour, time.Hour, -48 * time.Hour, false},
		{"the key has no end", -1, 48 * time.Hour, time.Hour, 0, true},
		{"the key has more life than it was given", life + time.Hour, 0, 0, 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, fits := puts(wall, life, row.left, wall.Add(row.age+row.ahead))
			if want := wall.Add(row.want); !got.Equal(want) {
				t.Errorf("it is %v off", got.Sub(want))
			}
			if fits != row.fits {
				t.Errorf("value and life fit: %v, want %v", fits, row.fits)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	c := newTestCodec(f)
	for _, s := range goldens() {
		f.Add([]byte(encode(f, c, s)), true)
	}
	f.Fuzz(func(t *testing.T, octets []byte, seal bool) {
		v := value(bytes.Clone(octets))
		// Else hardly anything gets past the checksum.
		if end, ok := v.headerEnd(); ok && seal {
			v[0] = version
			binary.LittleEndian.PutUint32(v[headerStart-4:], c.headerSum(origin, v[headerStart:end]))
		}
		s, _, err := c.decode(origin, v, true, time.Hour, wall)
		if err != nil {
			return
		}
		if s.Outcome > lastOutcome || s.Failure > lastFailure || s.HasCopy() != (s.Copy.Body != nil) || len(s.Copy.Body) > maxBody {
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
				if _, err := c.encode(&s, rev, wall, time.Hour); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	c := newTestCodec(b)
	for name, s := range benchmarks() {
		v := encode(b, c, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := c.decode(origin, v, true, time.Hour, wall); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestDatesAreWrittenAsTheyWereRead(t *testing.T) {
	const day = 24 * 60 * 60
	for seconds := int64(-62_167_219_200 - 2*day); seconds < 253_402_300_800+2*day; seconds += 41*day + 12_345 {
		if got, want := dateText(seconds), time.Unix(seconds, 0).UTC().Format(dateForm); got != want {
			t.Fatalf("%d is %q, want %q", seconds, got, want)
		}
	}
	for _, seconds := range []int64{0, -1, 1 << 40, -1 << 40, 253_402_300_799, -62_167_219_200} {
		if got, want := dateText(seconds), time.Unix(seconds, 0).UTC().Format(dateForm); got != want {
			t.Errorf("%d is %q, want %q", seconds, got, want)
		}
	}
}
