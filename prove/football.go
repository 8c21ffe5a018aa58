package prove

import (
	"maps"
	"slices"
	"strings"
)

// Goals are one number for each side.
type Goals struct {
	Home int `json:"home"`
	Away int `json:"away"`
}

func (g *Goals) of(side string) *int {
	if side == "home" {
		return &g.Home
	}
	return &g.Away
}

// Kicks are one side's part of a shoot-out.
type Kicks struct {
	Taken  int      `json:"taken"`
	Scored int      `json:"scored"`
	Takers []string `json:"takers"`
}

// Shootout is a shoot-out so far.
type Shootout struct {
	First  string `json:"first"`
	Winner string `json:"winner"`
	Home   Kicks  `json:"home"`
	Away   Kicks  `json:"away"`
}

// Football is a football match as the Laws of the Game have it, told a second time: its JSON is that of the score that
// the server shows, so that the two can be compared.
type Football struct {
	Status   string            `json:"status"`
	Running  bool              `json:"running"`
	Period   string            `json:"period"`
	Score    Goals             `json:"score"`
	Periods  map[string]Goals  `json:"periods"`
	People   map[string]string `json:"people"`
	Shootout *Shootout         `json:"shootout"`
	Settings map[string]bool   `json:"settings"`
}

// Play gives the match after a play, or the code with which the rules refuse it. f itself is left as it was.
func (f Football) Play(code string, in PlayInput) (Football, string) {
	switch code {
	case "period_start":
		return f.start(in.Period)
	case "period_end":
		return f.end(in.Period)
	case "goal":
		return f.goal(in)
	case "card":
		return f.card(in)
	case "kick":
		return f.kick(in)
	}
	return f, "no such play"
}

func (f Football) level() bool { return f.Score.Home == f.Score.Away }

func (f Football) start(period string) (Football, string) {
	follows := map[string][]string{"": {"H1"}, "H1": {"H2"}, "H2": {"ET1", "PSO"}, "ET1": {"ET2"}, "ET2": {"PSO"}, "PSO": nil}
	decider := period == "ET1" || period == "PSO"
	switch {
	case f.Running:
		return f, "already_running"
	case f.Status == "finished" && (!decider || f.Period != "H2" && f.Period != "ET2"):
		return f, "finished"
	case !slices.Contains(follows[f.Period], period):
		return f, "period_order"
	case period == "ET1" && !f.Settings["extra_time"], period == "PSO" && !f.Settings["shootout"]:
		return f, "not_in_settings"
	case period == "PSO" && f.Period == "H2" && f.Settings["extra_time"]:
		return f, "period_order"
	case decider && !f.level():
		return f, "not_level"
	}
	f.Status, f.Running, f.Period = "running", true, period
	if period == "PSO" {
		f.Shootout = &Shootout{}
	}
	return f, ""
}

func (f Football) end(period string) (Football, string) {
	switch {
	case !f.Running || f.Period != period:
		return f, "not_running"
	case period == "PSO":
		return f, "not_decided"
	}
	f.Running = false
	f.endOf(period)
	decided := !f.level()
	if period == "H2" && (decided || !f.Settings["extra_time"] && !f.Settings["shootout"]) ||
		period == "ET2" && (decided || !f.Settings["shootout"]) {
		f.Status = "finished"
	}
	return f, ""
}

// endOf keeps the score at the end of a period.
func (f *Football) endOf(period string) {
	f.Periods = maps.Clone(f.Periods)
	if f.Periods == nil {
		f.Periods = map[string]Goals{}
	}
	f.Periods[period] = f.Score
}

func (f Football) sentOff(side, person string) bool {
	has := f.People[side+"/"+person]
	return person != "" && (has == "second" || has == "red")
}

func otherSide(side string) string {
	if side == "home" {
		return "away"
	}
	return "home"
}

func (f Football) goal(in PlayInput) (Football, string) {
	minutes := map[string][2]int{"H1": {1, 45}, "H2": {46, 90}, "ET1": {91, 105}, "ET2": {106, 120}}[f.Period]
	own := in.Kind == "own"
	scorersSide := in.Side
	if own {
		scorersSide = otherSide(in.Side)
	}
	switch {
	case !f.Running:
		return f, "not_running"
	case f.Period == "PSO":
		return f, "in_shootout"
	case in.Minute < minutes[0] || in.Minute > minutes[1]:
		return f, "wrong_minute"
	case own && in.Assist != "":
		return f, "no_assist"
	case in.Scorer != "" && in.Scorer == in.Assist:
		return f, "same_person"
	case f.sentOff(scorersSide, in.Scorer):
		return f, "sent_off"
	}
	*f.Score.of(in.Side)++
	return f, ""
}

func (f Football) card(in PlayInput) (Football, string) {
	has := f.People[in.Side+"/"+in.Person]
	switch {
	case f.Period == "":
		return f, "not_started"
	case f.sentOff(in.Side, in.Person):
		return f, "sent_off"
	case in.Card == "yellow" && has == "yellow":
		return f, "already_booked"
	case in.Card == "second" && has == "":
		return f, "no_first_yellow"
	}
	f.People = maps.Clone(f.People)
	if f.People == nil {
		f.People = map[string]string{}
	}
	f.People[in.Side+"/"+in.Person] = in.Card
	return f, ""
}

// onTheField is how many of each side may kick: as many as the smaller side has left.
func (f Football) onTheField() int {
	off := map[string]int{}
	for who := range f.People {
		side, person, _ := strings.Cut(who, "/")
		if f.sentOff(side, person) {
			off[side]++
		}
	}
	return max(7, 11-max(off["home"], off["away"]))
}

func (f Football) kick(in PlayInput) (Football, string) {
	if !f.Running || f.Period != "PSO" {
		return f, "not_in_shootout"
	}
	s := *f.Shootout
	mine, theirs := &s.Home, &s.Away
	if in.Side == "away" {
		mine, theirs = theirs, mine
	}
	kicked := 0
	for _, taker := range mine.Takers {
		if taker == in.Taker {
			kicked++
		}
	}
	switch {
	case mine.Taken > theirs.Taken, mine.Taken == theirs.Taken && s.First != "" && s.First != in.Side:
		return f, "out_of_turn"
	case f.sentOff(in.Side, in.Taker):
		return f, "sent_off"
	case in.Taker != "" && kicked > mine.Taken/f.onTheField():
		return f, "already_kicked"
	}
	if s.First == "" {
		s.First = in.Side
	}
	mine.Taken++
	if in.Scored != nil && *in.Scored {
		mine.Scored++
	}
	if in.Taker != "" {
		mine.Takers = append(slices.Clip(mine.Takers), in.Taker)
	}
	kicks := max(5, mine.Taken, theirs.Taken)
	switch {
	case mine.Scored > theirs.Scored+kicks-theirs.Taken:
		s.Winner = in.Side
	case theirs.Scored > mine.Scored+kicks-mine.Taken:
		s.Winner = otherSide(in.Side)
	}
	f.Shootout = &s
	if s.Winner != "" {
		f.Running, f.Status = false, "finished"
		f.endOf("PSO")
	}
	return f, ""
}
