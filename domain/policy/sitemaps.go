package policy

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/polite-crawler/polite/domain/internal/word"
)

// Sitemaps of a file begin alike. They are kept as a list in which each is written
// as the number of octets that it has in common with the one before, the octets
// behind, and a line end, which none holds: half as many octets, of real files.

// addSitemap adds what stands in the text from from to end.
func (b *builder) addSitemap(from, end int) {
	location := b.text[from:end]
	common := commonOctets(b.text[b.sitemap.from:b.sitemap.to], location)
	b.sitemap = place{from, end}
	n, length := len(b.sitemaps), 1+len(location)-common+1
	b.sitemaps = slices.Grow(b.sitemaps, length)[:n+length]
	entry := b.sitemaps[n:]
	entry[0] = byte(common)
	copy(entry[1:], location[common:])
	entry[length-1] = '\n'
}

// commonOctets returns how many octets two strings begin with alike, as far as an
// octet can count.
func commonOctets(a, b string) (n int) {
	const most = 1<<8 - 1
	length := min(len(a), len(b), most)
	for ; n+8 <= length; n += 8 {
		if differ := word.Load(a, n) ^ word.Load(b, n); differ != 0 {
			return n + bits.TrailingZeros64(differ)>>3
		}
	}
	for n < length && a[n] == b[n] {
		n++
	}
	return n
}

// sitemaps returns the sitemaps as written.
func (r *Rules) sitemaps() (locations []string) {
	before := ""
	for list := r.text[r.sitemapsAt:]; list != ""; {
		common := int(list[0])
		end := strings.IndexByte(list[1:], '\n')
		before = before[:common] + list[1:][:end]
		locations = append(locations, before)
		list = list[1:][end+1:]
	}
	return locations
}
