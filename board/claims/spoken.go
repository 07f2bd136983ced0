package claims

// This file reads times of day in words: ten past five, a quarter to one, eight in the evening,
// noon.

// spoken reads a time of day in words at a token, and returns the token after it, 0 if there is
// none.
func (in *Instant) spoken(t tokens, i int) int {
	switch low := t[i].low; {
	case low == "noon" || low == "midday":
		in.Clock = 12 * 3600
		return i + 1
	case low == "midnight":
		in.Clock = 0
		return i + 1
	}
	minutes, k, sure := t.minutes(i)
	if k > 0 {
		if h, end := t.hour(k + 1); end > 0 && (t.at(k).low == "past" || sure && t.at(k).low == "to") {
			if t.at(k).low == "to" {
				minutes = -minutes
			}
			in.Clock, in.Half = (h*3600+minutes*60+86400)%86400, true
			return in.partOfDay(t, end)
		}
	}
	h, end := t.hour(i)
	if end == 0 {
		return 0
	}
	in.Clock = h * 3600
	if next := in.partOfDay(t, end); next > end {
		return next
	}
	if t.at(end).low == "o'clock" || t.at(end).low == "o’clock" {
		in.Half = true
		return in.partOfDay(t, end+1)
	}
	in.Clock = -1
	return 0
}

// minutes reads the minutes before past or to, and whether they can be nothing else.
func (t tokens) minutes(i int) (n, next int, sure bool) {
	switch low := t[i].low; {
	case low == "half" && t.at(i+1).low == "past":
		return 30, i + 1, true
	case low == "a" && t.at(i+1).low == "quarter":
		n, next, sure = 15, i+2, true
	case low == "quarter":
		n, next, sure = 15, i+1, true
	default:
		v, k, ok := t.bareNumber(i)
		if !ok || v.Number < 1 || v.Number > 59 || v.Number != float64(int(v.Number)) {
			return 0, 0, false
		}
		n, next = int(v.Number), k
		sure = t.at(i-1).low == "at"
	}
	if w := t.at(next).low; w == "minutes" || w == "minute" {
		next, sure = next+1, true
	}
	return n, next, sure
}

// hour reads an hour from one to twelve that is no number of something.
func (t tokens) hour(i int) (h, next int) {
	x := t.at(i)
	if h = int(ones[x.low]); h == 0 && x.kind == numberToken && len(x.text) < 3 {
		h = int(float(x.text))
	}
	if h < 1 || h > 12 {
		return 0, 0
	}
	after := t.at(i + 1)
	if after.kind == wordToken && !empty.has(after.low) && t.meridian(i+1) == "" &&
		after.low != "o'clock" && after.low != "o’clock" {
		return 0, 0
	}
	return h % 12, i + 1
}

// partOfDay reads in the evening, or pm, which says which half of a day is meant.
func (in *Instant) partOfDay(t tokens, i int) int {
	part, next := t.at(i+2).low, i+3
	switch half := t.meridian(i); {
	case half != "" && t.at(i).low != "in": // five p.m.
		if next = i + 1; t.at(next).text == "." && t.at(next).glued {
			next++
		}
		if part = "morning"; half == "pm" {
			part = "afternoon"
		}
	case t.at(i).low == "at" && t.at(i+1).low == "night":
		part, next = "night", i+2
	case t.at(i).low != "in" || t.at(i+1).low != "the":
		return i
	}
	switch part {
	case "morning":
		in.Half = false
	case "afternoon", "evening":
		in.Clock, in.Half = in.Clock%(12*3600)+12*3600, false
	case "night":
		in.Half = true
	default:
		return i
	}
	return next
}
