package parse

// This file reads times of day in words: ten past five, a quarter to one, eight in the evening,
// noon.

// spoken reads a time of day in words at a token, and returns the token after it, 0 if there is
// none.
func (in *Instant) spoken(t Tokens, i int) int {
	switch low := t[i].Low; {
	case low == "noon" || low == "midday":
		in.Clock = 12 * 3600
		return i + 1
	case low == "midnight":
		in.Clock = 0
		return i + 1
	}
	minutes, k, sure := t.minutes(i)
	if k > 0 {
		if h, end := t.hour(k + 1); end > 0 && (t.At(k).Low == "past" || sure && t.At(k).Low == "to") {
			if t.At(k).Low == "to" {
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
	if t.At(end).Low == "o'clock" || t.At(end).Low == "o’clock" {
		in.Half = true
		return in.partOfDay(t, end+1)
	}
	in.Clock = -1
	return 0
}

// minutes reads the minutes before past or to, and whether they can be nothing else.
func (t Tokens) minutes(i int) (n, next int, sure bool) {
	switch low := t[i].Low; {
	case low == "half" && t.At(i+1).Low == "past":
		return 30, i + 1, true
	case low == "a" && t.At(i+1).Low == "quarter":
		n, next, sure = 15, i+2, true
	case low == "quarter":
		n, next, sure = 15, i+1, true
	default:
		v, k, ok := t.BareNumber(i)
		if !ok || v.Number < 1 || v.Number > 59 || v.Number != float64(int(v.Number)) {
			return 0, 0, false
		}
		n, next = int(v.Number), k
		sure = t.At(i-1).Low == "at"
	}
	if w := t.At(next).Low; w == "minutes" || w == "minute" {
		next, sure = next+1, true
	}
	return n, next, sure
}

// hour reads an hour from one to twelve that is no number of something.
func (t Tokens) hour(i int) (h, next int) {
	x := t.At(i)
	if h = int(SmallNumbers[x.Low]); h == 0 && x.Kind == NumberToken && len(x.Text) < 3 {
		h = int(float(x.Text))
	}
	if h < 1 || h > 12 {
		return 0, 0
	}
	after := t.At(i + 1)
	if after.Kind == WordToken && !after.has(isEmpty) && t.meridian(i+1) == "" &&
		after.Low != "o'clock" && after.Low != "o’clock" {
		return 0, 0
	}
	return h % 12, i + 1
}

// partOfDay reads in the evening, or pm, which says which half of a day is meant.
func (in *Instant) partOfDay(t Tokens, i int) int {
	part, next := t.At(i+2).Low, i+3
	switch half := t.meridian(i); {
	case half != "" && t.At(i).Low != "in": // five p.m.
		if next = i + 1; t.At(next).Text == "." && t.At(next).Glued {
			next++
		}
		if part = "morning"; half == "pm" {
			part = "afternoon"
		}
	case t.At(i).Low == "at" && t.At(i+1).Low == "night":
		part, next = "night", i+2
	case t.At(i).Low != "in" || t.At(i+1).Low != "the":
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
