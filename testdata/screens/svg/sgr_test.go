package main

import "testing"

func TestStyles(t *testing.T) {
	rgb := func(value int) colour { return colour{kind: rgbColour, value: value} }
	for parameters, want := range map[string]style{
		"":                       {},
		"0":                      {},
		"1":                      {attrs: bold},
		"1;2;3;4":                {attrs: bold | faint | italic | underline},
		"7;8;9":                  {attrs: reverse | hidden | strike},
		"1;2;22":                 {},
		"4:3":                    {attrs: underline},
		"4;4:0":                  {},
		"1;0;3":                  {attrs: italic},
		"1;;3":                   {attrs: italic},
		"31;42":                  {fg: indexed(1), bg: indexed(2)},
		"90;107":                 {fg: indexed(8), bg: indexed(15)},
		"31;39;42;49":            {},
		"38;5;208;1":             {fg: indexed(208), attrs: bold},
		"48;2;1;2;3;4":           {bg: rgb(0x010203), attrs: underline},
		"38:5:9;1":               {fg: indexed(9), attrs: bold},
		"38:2::1:2:3":            {fg: rgb(0x010203)},
		"38:2:1:2:3;48:2::4:5:6": {fg: rgb(0x010203), bg: rgb(0x040506)},
		"58;5;3;1":               {attrs: bold},
		"58:2::1:2:3;3":          {attrs: italic},
		"5;53;1":                 {attrs: bold},
	} {
		var got style
		if err := got.apply(parameters); err != nil || got != want {
			t.Errorf("%q is %+v, not %+v (%v)", parameters, got, want, err)
		}
	}
}

func TestColours(t *testing.T) {
	for c, want := range map[colour]string{
		{}:                                   "#000001",
		indexed(1):                           "#f0716b",
		indexed(16):                          "#000000",
		indexed(208):                         "#ff8700",
		indexed(231):                         "#ffffff",
		indexed(232):                         "#080808",
		indexed(255):                         "#eeeeee",
		{kind: rgbColour, value: 0x00ff0a}:   "#00ff0a",
		{kind: indexedColour, value: 16 + 5}: "#0000ff",
	} {
		if got := dark.hex(c, 1); got != want {
			t.Errorf("%+v is %s, not %s", c, got, want)
		}
	}
}
