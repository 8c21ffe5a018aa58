package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// voidSamples is how many plays are taken out of each fixture; few, so that the fixtures stay as long as they are called.
const voidSamples = 15

// corrections tells what it costs to take out a play, which folds all others anew: of a fixture of 50 plays and of one of
// 5,000, in turns.
func (b *bed) corrections(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.cluster.URL)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()

	lengths := []int{50, 5000}
	for _, n := range lengths {
		say(fmt.Sprintf("play_void: a fixture of %d plays", n))
		// The kick-off, then goals, each having seen the play before.
		if _, err := conn.Exec(ctx, `select outcome from road.execute('bench', 'event', 'event', 'bench', 'fixture_put', 'void-fixture:' || $1,
				jsonb_build_object('fixture', 'void-' || $1, 'sport', 'football', 'home', 'Home', 'away', 'Away'),
				jsonb_build_object('rows', jsonb_build_object('fixture/void-' || $1 || '/schedule', null)))`, fmt.Sprint(n)); err != nil {
			return fmt.Errorf("making the fixture: %w", err)
		}
		var accepted int
		if err := conn.QueryRow(ctx, `
			select count(*) filter (where r.outcome = 'accepted')
			from generate_series(1, $2::integer) i
			cross join lateral road.execute('bench', 'football', 'fixture', 'void-' || $1,
				case i when 1 then 'period_start' else 'goal' end, 'void-play:' || $1 || ':' || i,
				case i when 1 then '{"period": "H1"}'::jsonb else '{"side": "home", "scorer": "Lionel Messi", "minute": 23}' end,
				jsonb_build_object('play', nullif(i, 1))) r`, fmt.Sprint(n), n).Scan(&accepted); err != nil {
			return fmt.Errorf("playing %d plays: %w", n, err)
		}
		if accepted != n {
			return fmt.Errorf("only %d of %d plays were accepted", accepted, n)
		}
	}

	took := map[int][]float64{}
	for i := range voidSamples {
		for _, n := range lengths {
			play := n/2 + i // the log's first row is the fixture's creation
			var outcome string
			begun := time.Now()
			err := conn.QueryRow(ctx, `select outcome from road.execute('bench', 'fixture', 'fixture', 'void-' || $1, 'play_void', 'void:' || $1 || ':' || $2,
				jsonb_build_object('play', $2::bigint, 'reason', 'Entered twice.'),
				jsonb_build_object('rows', jsonb_build_object('fixture/void-' || $1 || '/play/' || $2, $2::bigint)))`, fmt.Sprint(n), fmt.Sprint(play)).Scan(&outcome)
			if err != nil {
				return fmt.Errorf("taking out play %d of %d: %w", play, n, err)
			}
			if outcome != "accepted" {
				return fmt.Errorf("taking out play %d of %d: %s", play, n, outcome)
			}
			took[n] = append(took[n], float64(time.Since(begun).Microseconds())/1000)
		}
	}
	for _, n := range lengths {
		slices.Sort(took[n])
	}
	short, long := took[lengths[0]][voidSamples/2], took[lengths[1]][voidSamples/2]
	fmt.Printf("| play_void in a fixture of %d plays / of %d: latency | %.3g ms | %.3g ms | %.2f | | |\n", lengths[1], lengths[0], long, short, long/short)
	return nil
}
