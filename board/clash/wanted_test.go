package clash

import "testing"

// TestWanted: a text about the same thing that lacks the kind of value, or the name, which a
// question asks for does not answer it.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		question    string
		has, hasNot []string
	}{
		{"Who renews the licence of the mail filter?",
			[]string{"Oda renews what the mail filter needs", "The licence is with Marek Thun", "Write to it@brook.example"},
			[]string{"The licence of the mail filter is renewed in the office", "Mail filter: see page 3"}},
		{"The gate is down; whom do I call?", []string{"At night the gate is Birgit's"}, []string{"The gate opens by itself"}},
		{"How long are drafts kept?", []string{"Drafts are kept 30 days", "A draft stays for a week", "Drafts are never deleted"},
			[]string{"Drafts are kept on shelf 4", "Drafts: at 02:30 they are copied"}},
		{"After how many hours does a lease end?", []string{"A lease ends after 6 h"}, []string{"4 tenants have a lease"}},
		{"How many lockers are there?", []string{"There are 48 lockers", "No locker is left"}, []string{"A locker opens for 20 seconds", "A locker costs 20 euros"}},
		{"How large is the cache?", []string{"The cache has 3 GB", "It may use half of it"}, []string{"The cache is on the fast disk", "Box ram-1 holds the cache, and each copy of it"}},
		{"How much money does a driver get for a mile?", []string{"A driver gets 45p per mile"},
			[]string{"The page of a driver's miles has 50 rows"}},
		{"Which version do the tests need?", []string{"The tests need v3.1", "Tests: lib>=2"}, []string{"The e2e tests need a browser"}},
		{"Which weekday is the pool closed?", []string{"The pool is shut on Fridays"}, []string{"The pool is closed to dogs"}},
		{"What is the phone number of the dentist?", []string{"Dentist: 0221 5566"}, []string{"The dentist is on floor 2"}},
		{"On which port does the relay run?", []string{"The relay is at relay:9911", "Port 9911 is the relay's"},
			[]string{"The relay starts at 10:30", "The relay is slow"}},
		{"What does a visit to the tower cost?", []string{"The tower: 7 euros", "Visits are free"}, []string{"The tower has 212 steps"}},
		{"At what time is the roll call?", []string{"Roll call is at 8:45", "We call the roll in the evening"},
			[]string{"The roll call is in room 3"}},
		{"When does the lease end?", []string{"It ends on 3 May", "By the end of December"}, []string{"The lease ends with a letter"}},
		{"Which port does gatekeeperd use?", []string{"gatekeeperd uses 7070"}, []string{"mailerd uses 7070"}},
		{"Who looks after code in tools/lint?", []string{"Ines looks after tools/lint"}, []string{"Ines looks after the docs"}},
		{"What colour does Yusuf prefer?", []string{"Yusuf prefers blue"}, []string{"Grete prefers blue"}},
		{"How long are drafts kept, please?", []string{"Drafts are kept for 3 months"}, []string{"Drafts end with 3 dots"}},
		{"How many docks has the north hall?", []string{"North hall: 48 loading docks", "The north hall's two new docks"},
			[]string{"A dock of the north hall takes 5 trucks", "The north hall has 12 cameras"}},
		{"How many of the crates came in 1911?", []string{"In 1911 nine heavy crates came"}, []string{"Crates: see the list of 1911"}},
		{"How big is the archive?", []string{"The archive has 3 TB"}, []string{"The archive is packed at 02:15 for 20 minutes"}},
		{"In which year was the hall built?", []string{"The hall is from 1954", "They built it last year"}, []string{"The hall was built in 20 weeks"}},
		{"On which date is the fair?", []string{"The fair is on 3 March", "The fair: 2026-03-03"}, []string{"On the day of the fair all get in for 3 hours"}},
		{"What percentage do they keep?", []string{"They keep 3 %", "They keep half of it"}, []string{"They keep 600 lines"}},
		{"What temperature has the oven?", []string{"The oven: 180 °C", "Oven at 180 degrees"}, []string{"The oven takes 20 loaves"}},
		{"What is Ada's e-mail address?", []string{"Ada: ada@brook.example"}, []string{"Ada prefers mails"}},
		{"Which company runs the canteen?", []string{"The canteen belongs to Brook & Sons"}, []string{"The canteen is run by others, in German"}},
		{"What did the tower cost?", []string{"The tower: 7 euros"}, []string{"The tower costs nerves"}},
		{"What colour do the boats in Fiskholm have?", []string{"Fiskholm's boats are red"}, []string{"The boats in Torby are red"}},
		// of several kinds one is enough, and nothing is said about reasons, ways and places
		{"What do I pay, and who collects it?", []string{"Elif collects it", "It is 4 euros"}, []string{"It is collected"}},
		{"Why does mailerd crash, and who knows?", []string{"The disk was full"}, nil},
		{"Where does mailerd write?", []string{"To the log folder"}, nil},
		{"Do we use tabs?", []string{"Indent with four blanks"}, nil},
		{"Write to the one who paid. The mail says how long drafts are kept.", []string{"Mails have a footer"}, nil},
		{"", []string{"Anything"}, nil},
	} {
		w := WantedBy(c.question, func(string) bool { return true })
		for _, text := range c.has {
			if !w.In(Text{Body: text}) {
				t.Errorf("%q has not what is asked by %q", text, c.question)
			}
		}
		for _, text := range c.hasNot {
			if w.In(Text{Body: text}) {
				t.Errorf("%q is said to have what is asked by %q", text, c.question)
			}
		}
	}
}

// FuzzWanted: no text makes it panic, and what has all a question's words and some of
// everything answers it.
func FuzzWanted(f *testing.F) {
	f.Add("Who renews it, and when is it? What’s the port of a/b?", "Ada, 3 May")
	f.Fuzz(func(t *testing.T, question, text string) {
		WantedBy(question, func(string) bool { return true }).In(Text{Title: text, Body: question})
	})
}
