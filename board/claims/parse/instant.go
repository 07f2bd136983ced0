package parse

import (
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/text"
)

// An Instant is a date, a time of day, or both, as exact as it is written.
type Instant struct {
	From, To time.Time // the days that are meant, To excluded; of the year 0 if none is said
	Dated    bool
	AnyYear  bool // 18 June
	AnyMonth bool // the 18th
	Loose    bool // late 2025, last summer
	Clock    int  // seconds since midnight as written; -1: only a date
	Seconds  bool // the clock is exact to the second
	Zone     *int // seconds east of UTC; nil: not known
	Local    bool // the zone is said as a place: 10:02 in Prague
	Half     bool // of any half of a day: ten past five
	Round    bool // shortly after three in the morning, about noon

	day *Instant // of a time without a date in a line that begins with one
}

var months = sync.OnceValue(func() map[string]time.Month {
	m := map[string]time.Month{"sept": time.September}
	for i := time.January; i <= time.December; i++ {
		low := strings.ToLower(i.String())
		m[low], m[low[:3]] = i, i
	}
	for i, w := range strings.Fields(`januar februar märz april mai juni juli august september
		oktober november dezember`) {
		m[w] = time.Month(i + 1)
	}
	return m
})

var (
	seasons  = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
	quarters = sync.OnceValue(func() map[string]int {
		return map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "q1": 1, "q2": 2,
			"q3": 3, "q4": 4}
	})
	beforeSeason = NewSet("last this next in since until by early late mid during")
	beforeMonth  = NewSet(`in since until till by of from to during before after on for through and mid
		early late`)
	verbMonths = NewSet("may march mar")
	zones      = sync.OnceValue(func() map[string]float64 {
		return map[string]float64{"utc": 0, "gmt": 0, "z": 0, "bst": 1, "wet": 0, "west": 1, "cet": 1,
			"cest": 2, "eet": 2, "eest": 3, "msk": 3, "ist": 5.5, "jst": 9, "est": -5, "edt": -4,
			"cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}
	})
	reClock = text.NewRegexp(
		`^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?([aApP][mM])?(Z|[+-]\d{2}:?\d{2})?$`)
	cjkDate    = strings.NewReplacer("年", "-", "년", "-", "月", "-", "월", "-", "日", "", "일", "", " ", "")
	dayLayouts = []string{"2006-01-02", "2006-1-2", "2006/1/2", "2.1.2006",
		"02.01.06", "2-Jan-2006", "1/2/2006", "2/1/2006", "1/2/06", "2/1/06"}
)

// SetSpan sets the period that begins on a day and has so many months and days. In the year 0 it is in any year.
func (in *Instant) SetSpan(y int, m time.Month, d, months, days int) {
	in.From = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	in.To = in.From.AddDate(0, months, days)
	in.Dated, in.AnyYear = true, y == 0
}

// Days is how many days a date may be.
func (in *Instant) Days() int { return int(in.To.Sub(in.From).Hours() / 24) }

// year returns the year that a token is, or 0.
func (t Tokens) year(i int) int {
	x := t.At(i)
	if x.Kind == NumberToken && len(x.Text) == 4 && x.Text >= "1900" && x.Text < "2100" && digits(x.Text) && !x.minus {
		return int(float(x.Text))
	}
	return 0
}

// Day is the day of a month that a token is, 0 if it is none.
func (t Tokens) Day(i int) int {
	x := t.At(i)
	s := strings.TrimRight(x.Low, "sthnrd")
	if x.Kind == MarkToken || s == "" || len(s) > 2 || !digits(s) || float(s) > 31 {
		return 0
	}
	return int(float(s))
}

// ordinalDay reads the day in "the second of April", "the twenty-first of May"; 0 if it is none.
func (t Tokens) ordinalDay(i int) (d int) {
	low, next := t.At(i).Low, i+1
	switch {
	case low == "twenty" || low == "thirty":
		d, next = int(tens[low]+ordinals[t.At(next).Low]), next+1
	case ordinals[low] > 0 && t.At(i-1).Low != "twenty" && t.At(i-1).Low != "thirty":
		d = int(ordinals[low])
	}
	if t.At(next).Low != "of" || t.month(next+1) == 0 || d > 31 {
		return 0
	}
	return d
}

// month returns the month that a token names, or 0. May and March are words, too.
func (t Tokens) month(i int) time.Month {
	x, k := t.At(i), i+1
	if w := t.At(k).Low; w == "." || w == "," { // Mar. 23
		k++
	}
	if x.Kind != WordToken || x.Text == x.Low || verbMonths.Has(x.Low) && t.Day(i-1) == 0 &&
		t.Day(k) == 0 && t.year(k) == 0 && !beforeMonth.Has(t.At(i-1).Low) {
		return 0
	}
	return months()[x.Low]
}

// IsMonth reports whether a token is the name of a month.
func (t Tokens) IsMonth(i int) bool { return t.month(i) != 0 }

func (t Tokens) measureAt(i int) bool {
	w := t.At(i).Low
	return w == "%" || units()[w].dim != "" || scales()[w] != 0
}

// instant reads a date or time that begins at a token, and returns the token after it.
func (t Tokens) instant(i int) (in Instant, next int, ok bool) {
	in.Clock = -1
	switch x := t[i]; {
	case x.Kind == StampToken && !(quarters()[x.Low] > 0 && t.year(i+1) > 0) && in.stamp(x.Text):
		return in, in.clockAfter(t, i+1), true
	case x.Kind == NumberToken && float(x.Text) < 13 && t.meridian(i+1) != "": // 5 pm, 4.20 pm
		h, m, _ := strings.Cut(x.Text, ".")
		in.Clock = int(float(h))%12*3600 + int(float(m))*60
		return in, in.zone(t, i+1), true
	}
	if next = in.spoken(t, i); next > 0 {
		in.Round = nearly.Has(t.At(i - 1).Low)
		return in, in.zone(t, next), true
	}
	if end := t.rangeOfDays(i); end > 0 { // 9 to 23 January
		last, _, _ := t.instant(end)
		in.SetSpan(last.From.Year(), last.From.Month(), t.Day(i), 0, 1)
		return in, i + 1, true
	}
	if next = in.dateForm(t, i); next == 0 {
		return in, i + 1, false
	}
	in.qualify(t.At(i-1).Low, t.At(i-2).Low)
	return in, in.timeAfter(t, next), true
}

// rangeOfDays returns where the second day of a range begins, 0 if there is none.
func (t Tokens) rangeOfDays(i int) int {
	w := t.At(i + 1).Low
	if t[i].Kind == NumberToken && t.Day(i) > 0 && (w == "to" || w == "and" || w == "–" || w == "-") &&
		t.Day(i+2) > 0 && t.month(i+3) > 0 {
		return i + 2
	}
	return 0
}

// dateForm reads a date at a token, the longest forms first. It returns the token after it, 0 if there is no date.
func (in *Instant) dateForm(t Tokens, i int) (next int) {
	if next = dayFirst(in, t, i); next > 0 {
		return next
	}
	if next = monthFirst(in, t, i); next > 0 {
		return next
	}
	if next = seasonFirst(in, t, i); next > 0 {
		return next
	}
	if next = quarterFirst(in, t, i); next > 0 {
		return next
	}
	if next = yearAlone(in, t, i); next > 0 {
		return next
	}
	return dayAlone(in, t, i)
}

func dayFirst(in *Instant, t Tokens, i int) int {
	d, k := t.Day(i), i+1
	if d == 0 {
		if d = t.ordinalDay(i); d > 20 {
			k++
		}
	}
	if d == 0 {
		return 0
	}
	if w := t.At(k).Low; w == "of" || w == "." {
		k++
	}
	m := t.month(k)
	if m == 0 {
		return 0
	}
	y, next := t.yearBehind(k+1, ",")
	in.SetSpan(y, m, d, 0, 1)
	return next
}

// yearBehind returns the year at a token, or behind a mark or word there, and the token behind it; 0
// and the token itself if there is none.
func (t Tokens) yearBehind(k int, mark string) (y, next int) {
	if t.At(k).Low == mark && t.year(k+1) > 0 {
		k++
	}
	if y = t.year(k); y > 0 {
		k++
	}
	return y, k
}

func monthFirst(in *Instant, t Tokens, i int) int {
	m, k := t.month(i), i+1
	if m == 0 {
		return 0
	}
	if w := t.At(k).Low; w == "." || w == "," && t.year(k+1) > 0 { // Mar. 23; March, 2026
		k++
	}
	if d := t.Day(k); d > 0 && !t.measureAt(k+1) {
		y, next := t.yearBehind(k+1, ",")
		in.SetSpan(y, m, d, 0, 1)
		return next
	}
	y, next := t.yearBehind(k, "of")
	in.SetSpan(y, m, 1, 1, 0)
	return next
}

func seasonFirst(in *Instant, t Tokens, i int) int {
	m := seasons[t[i].Low]
	if m == 0 {
		return 0
	}
	y, next := t.yearBehind(i+1, "of")
	if w := t.At(i - 1).Low; y == 0 && (!beforeSeason.Has(w) ||
		t[i].Low == "fall" && w != "last" && w != "next" && w != "this") {
		return 0
	}
	in.SetSpan(y, m, 1, 3, 0)
	in.Loose = true
	return next
}

func quarterFirst(in *Instant, t Tokens, i int) int {
	n, k := quarters()[t[i].Low], i+1
	if n == 0 {
		return 0
	}
	said := t[i].Low[0] == 'q'
	if t.At(k).Low == "quarter" {
		said, k = true, k+1
	}
	if t.At(k).Low == "of" {
		k++
	}
	y := t.year(k)
	if !said || y == 0 {
		return 0
	}
	in.SetSpan(y, time.Month(3*n-2), 1, 3, 0)
	return k + 1
}

func yearAlone(in *Instant, t Tokens, i int) int {
	y := t.year(i)
	if y == 0 || t.measureAt(i+1) || currencies()[t.At(i-1).Low] != "" ||
		len(t.key(i)) > 0 && !slices.Contains(t.key(i), "year") && !slices.Contains(t.key(i), "date") { // wal_buffers = 2048
		return 0
	}
	in.SetSpan(y, 1, 1, 12, 0)
	return i + 1
}

// dayAlone reads the 22nd.
func dayAlone(in *Instant, t Tokens, i int) int {
	next := t.At(i + 1)
	if t[i].Kind != WordToken || !reOrdinal.MatchString(t[i].Low) || t.Day(i) == 0 ||
		!beforeDay.Has(t.At(i-1).Low) || next.Kind != MarkToken && !Stopwords.Has(next.Low) {
		return 0
	}
	in.SetSpan(0, 1, t.Day(i), 0, 1)
	in.AnyMonth = true
	return i + 1
}

var beforeDay = NewSet("the on not and or by until from to since after before")

// qualify narrows a period by the words before it: end of 2026, early March.
func (in *Instant) qualify(w, before string) {
	if w == "of" || w == "in" {
		w = before
	}
	length, edge := in.To.Sub(in.From), 7
	switch days := in.Days(); {
	case days < 27:
		return
	case days > 300:
		edge = 31
	}
	switch w {
	case "end", "close":
		in.From = in.To.AddDate(0, 0, -edge)
	case "beginning", "start":
		in.To = in.From.AddDate(0, 0, edge)
	case "early":
		in.To, in.Loose = in.From.Add(length/3), true
	case "late":
		in.From, in.Loose = in.To.Add(-length/3), true
	case "mid", "middle":
		in.From, in.To, in.Loose = in.From.Add(length/4), in.To.Add(-length/4), true
	}
}

// clockAfter reads a time behind a stamp, or its zone: 2026-06-18 07:51 UTC.
func (in *Instant) clockAfter(t Tokens, next int) int {
	if in.Clock < 0 && t.At(next).Kind == StampToken {
		next = in.takeClock(t, next)
	}
	if in.Clock >= 0 && in.Zone == nil {
		next = in.zone(t, next)
	}
	return next
}

// timeAfter reads the time of a day: 31 December 2026, 14:00.
func (in *Instant) timeAfter(t Tokens, next int) int {
	if in.Days() > 1 {
		return next
	}
	k := next
	if w := t.At(k).Low; w == "," || w == "at" {
		k++
	}
	end := in.takeClock(t, k)
	if end == k {
		return next
	}
	if in.Zone == nil {
		end = in.zone(t, end)
	}
	return end
}

// takeClock takes a time of day that stands at a token, and returns the one after it.
func (in *Instant) takeClock(t Tokens, i int) int {
	c := Instant{Clock: -1}
	if t.At(i).Kind != StampToken || !c.stamp(t[i].Text) || c.Dated {
		return i
	}
	in.Clock, in.Seconds, in.Zone = c.Clock, c.Seconds, c.Zone
	return i + 1
}

// stamp reads a date or time that is one token, and reports whether it is one.
func (in *Instant) stamp(s string) bool {
	if m := rePeriod.FindStringSubmatch(s); m != nil {
		in.period(m)
		return true
	}
	if reCJKDate.MatchString(s) {
		s = strings.Trim(cjkDate.Replace(s), "-")
	}
	date, clock, _ := strings.Cut(strings.Replace(s, "_", "T", 1), "T")
	for _, layout := range dayLayouts {
		if d, err := time.Parse(layout, date); err == nil {
			in.SetSpan(d.Year(), d.Month(), d.Day(), 0, 1)
			break
		}
	}
	if !in.Dated {
		clock = s
	}
	m := reClock.FindStringSubmatch(clock)
	if m == nil {
		return in.Dated && clock == ""
	}
	h, min := int(float(m[1])), int(float(m[2]))
	if m[4] != "" {
		h = h%12 + 12*strings.Count(strings.ToLower(m[4]), "p")
	}
	in.Clock, in.Seconds = h*3600+min*60+int(float(m[3])), m[3] != ""
	if m[5] != "" {
		in.setZone(m[5])
	}
	return min < 60 && h < 48
}

// period reads FY2025, 2025-Q3, Q3 and H1.
func (in *Instant) period(m []string) {
	n := func(k int) int { return int(float(m[k])) }
	switch y := n(1); {
	case m[1] != "" && y < 100:
		in.SetSpan(y+2000, 1, 1, 12, 0)
	case m[1] != "":
		in.SetSpan(y, 1, 1, 12, 0)
	case m[2] != "":
		in.SetSpan(n(2), time.Month(3*n(3)-2), 1, 3, 0)
	case m[4] != "":
		in.SetSpan(0, time.Month(3*n(4)-2), 1, 3, 0)
	default:
		in.SetSpan(0, time.Month(6*n(5)-5), 1, 6, 0)
	}
}

// setZone reads Z, +02:00, -0700, +2.
func (in *Instant) setZone(s string) {
	off := 0
	if d := strings.ReplaceAll(s[1:], ":", ""); s != "Z" {
		h, m := d, ""
		if len(d) > 2 {
			h, m = d[:len(d)-2], d[len(d)-2:]
		}
		off = int(float(h))*3600 + int(float(m))*60
		if s[0] == '-' {
			off = -off
		}
	}
	in.Zone = &off
}

// meridian returns am or pm if a token says so: p.m., in the morning.
func (t Tokens) meridian(i int) string {
	w := strings.ReplaceAll(t.At(i).Low, ".", "")
	switch part := t.At(i + 2).Low; {
	case w == "am" || w == "pm":
		return w
	case w != "in" || t.At(i+1).Low != "the" || !strings.ContainsAny(t.At(i-1).Text, ".:"):
	case part == "morning":
		return "am"
	case part == "afternoon", part == "evening":
		return "pm"
	}
	return ""
}

// zone reads pm, UTC, (UTC+2), CEST, local or in Prague, and returns the token after it.
func (in *Instant) zone(t Tokens, i int) int {
	if w := t.meridian(i); w != "" {
		if w == "pm" && in.Clock < 12*3600 {
			in.Clock += 12 * 3600
		}
		if t.At(i).Low == "in" {
			i += 2
		}
		if i++; t.At(i).Text == "." && t.At(i).Glued {
			i++
		}
	}
	k := i
	x := t.At(k)
	if len(x.Text) == 4 && digits(x.Text) && (x.minus || t.At(k-1).Text == "+") { // -0700
		in.setZone(map[bool]string{true: "-", false: "+"}[x.minus] + x.Text)
		return k + 1
	} else if x.Text == "+" && len(t.At(k+1).Text) == 4 {
		return in.zone(t, k+1)
	}
	y := t.At(k + 1)
	in.Local = in.Local || x.Low == "local" || x.HasCapital() && y.Low == "time" ||
		x.Low == "in" && y.HasCapital() && months()[y.Low] == 0
	if x.Low == "local" || y.Low == "time" && x.HasCapital() { // local time (UTC+3)
		for k++; t.At(k).Low == "time"; k++ {
		}
		i = k
	}
	if t.At(k).Text == "(" {
		k++
	}
	return in.namedZone(t, i, k)
}

// namedZone reads the name of a zone at token k, in parentheses if that is not i.
func (in *Instant) namedZone(t Tokens, i, k int) int {
	name, rest := t.At(k).Low, ""
	if j := strings.IndexAny(name, "+-"); j > 0 { // UTC-7 is one token
		name, rest = name[:j], name[j:]
	}
	hours, known := zones()[name]
	if long := longZones[name]; !known && long != 0 && longZone(t, k) > 0 {
		hours, known, k = long-1, true, k+longZone(t, k)-1
	}
	if !known || name == "z" {
		return i
	}
	off := int(hours * 3600)
	in.Zone = &off
	k++
	if x := t.At(k); rest == "" && x.Text == "+" {
		rest, k = "+"+t.At(k+1).Text, k+2
	} else if rest == "" && x.minus {
		rest, k = "-"+x.Text, k+1
	}
	if len(rest) > 1 && digits(strings.ReplaceAll(rest[1:], ":", "")) {
		in.setZone(rest)
	}
	if t.At(k).Text == ")" && t.At(i).Text == "(" {
		k++
	}
	return k
}

// longZones are the first words of zones written out, with their hours plus one.
var longZones = map[string]float64{"central": 2, "greenwich": 1, "coordinated": 1, "british": 2}

// longZone returns how many tokens "Central European Summer Time" takes.
func longZone(t Tokens, k int) int {
	for n := 2; n <= 4; n++ {
		if t.At(k+n-1).Low == "time" {
			return n
		}
	}
	return 0
}

// datesOf returns the dates in a heading, a header or the name of a file.
func datesOf(s string) (out []Detail) {
	t := Tokenize(strings.ReplaceAll(s, "_", " "))
	named := strings.Contains(s, "_")
	for i := range t { // bill_october.csv
		if named && months()[t[i].Low] > 0 {
			t[i].Text = strings.ToUpper(t[i].Text)
		}
	}
	for i := 0; i < len(t); {
		in, next, ok := t.instant(i)
		if ok {
			in := in // only what is found is kept
			out = append(out, Detail{Kind: Date, T: &in, Text: s})
		}
		i = max(next, i+1)
	}
	return out
}

// dayToTimes gives times the day that stands behind them, at 22:25 on Friday 29 May, or with which a line of a log
// begins: 2026-05-29 22:10 called at 22:25.
func (c *Claim) dayToTimes() {
	var begins *Instant
	for k := range c.Details {
		d := &c.Details[k]
		if k == 0 && d.T != nil && d.At == 0 && d.T.Dated && d.T.Clock >= 0 && d.T.Days() == 1 {
			begins = d.T
		}
		if d.T == nil || d.T.Dated {
			continue
		}
		d.T.day = begins
		if k+1 < len(c.Details) {
			if x := &c.Details[k+1]; x.T != nil && x.T.Dated && x.T.Clock < 0 && x.T.Days() == 1 &&
				Tokenize(c.Text[min(d.At+len(d.Text), x.At):x.At]).leadsToDay() {
				d.T.day = x.T
			}
		}
	}
}

// leadsToDay reports whether nothing stands between a time and its day but words that lead from one to the other: on
// Friday.
func (t Tokens) leadsToDay() bool {
	for i := range t {
		if low := t[i].Low; low != "on" && low != "of" && low != "the" && !Weekdays.Has(low) &&
			!(t[i].Text == "," && Weekdays.Has(t.At(i-1).Low)) {
			return false
		}
	}
	return true
}

// TellsWhen reports whether a text gives a day by another one: four days later, the next morning.
func (t Tokens) TellsWhen() bool {
	for i := range t {
		switch d := units()[t[i].Low].dim; t[i].Low {
		default:
			if d != "time" && d != "months" {
				continue
			}
		case "morning", "afternoon", "evening", "night":
		}
		switch t.At(i + 1).Low {
		case "later", "earlier", "before", "afterwards", "after":
			return true
		}
		switch t.At(i - 1).Low {
		case "next", "following", "previous", "same", "that":
			return true
		}
	}
	return false
}
