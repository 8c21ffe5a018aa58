package race_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"umpire/server/postgres"
	"umpire/tests/harness"
)

// MultiXacts are counted for the whole server, and other tests make some: so these two have a server of their own.
func TestMultiXacts(t *testing.T) {
	t.Parallel()
	base := harness.NewOwn(t, postgres.Options{})
	layOut(t, base.URL())

	t.Run("none_per_accepted_command", func(t *testing.T) {
		b := clone(t, base.URL())
		commands, made := multiXacts(t, b)
		t.Logf("%d MultiXacts in %d commands", made, commands)
		if made != 0 {
			t.Errorf("%d MultiXacts in %d commands, want none", made, commands)
		}
	})
	// The subject is locked outside the savepoint: updating it inside makes one each.
	t.Run("mutation_the_subject_is_updated_inside_the_savepoint", func(t *testing.T) {
		b := clone(t, base.URL())
		mutation{
			function: execute,
			from:     "v_handled := road.dispatch(cmd);",
			to:       "v_handled := road.dispatch(cmd); update road.subject s set last_play_seq = s.last_play_seq where s.subject_id = v_subject_id;",
		}.apply(t, b)
		commands, made := multiXacts(t, b)
		t.Logf("%d MultiXacts in %d commands", made, commands)
		if made == 0 {
			t.Error("the measurement does not notice")
		}
	})
	t.Run("mutation_a_foreign_key_to_the_sender", func(t *testing.T) {
		b := clone(t, base.URL())
		exec(t, connect(t, b.url, nil), "alter table road.command add foreign key (sender) references road.sender")
		// The sender's row is locked by whoever sends: with somebody else under way there are always two.
		other := b.session(t)
		other.begin(t)
		other.want(t, note("other"), "accepted")
		_, made := multiXacts(t, b)
		other.commit(t)
		if made == 0 {
			t.Error("the measurement does not notice")
		}
	})
}

// multiXacts sends 200 commands of every sort by two senders at once and counts the MultiXacts that they make.
func multiXacts(t testing.TB, b *bed) (commands, made int) {
	t.Helper()
	watch := b.session(t)
	semi := watch.subject(t, "semi")
	before := nextMultiXact(t, watch.Conn)

	const rounds = 14
	senders := func(number int) ([]answer, error) {
		config, err := pgx.ParseConfig(b.url)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		defer func() { _ = conn.Close(ctx) }()
		s := &session{Conn: conn, bed: b}
		var all []answer
		for i := range rounds {
			fixture := fmt.Sprintf("new-%d-%d", number, i)
			refused := goal("final", 2)
			refused.input = `{"side": "home", "minute": 60}`
			for _, c := range []command{
				note("final"), note("semi").under(fmt.Sprintf("k-%d-%d", number, i)), note("semi").under(fmt.Sprintf("k-%d-%d", number, i)),
				goal("final", 2+i), refused, put(fixture, "North", "null"), put(fixture, "South", "1"), touch("final", semi),
			} {
				all = append(all, s.try(ctx, c))
			}
		}
		return all, nil
	}
	type result struct {
		all []answer
		err error
	}
	results := make(chan result)
	for number := range 2 {
		go func() {
			all, err := senders(number)
			results <- result{all, err}
		}()
	}
	outcomes := map[string]int{}
	for range 2 {
		r := <-results
		if r.err != nil {
			t.Fatal(r.err)
		}
		for _, a := range r.all {
			outcomes[a.brief]++
			commands++
		}
	}
	if outcomes["accepted"] < 100 || outcomes["duplicate"] == 0 {
		t.Fatalf("not the mixture that was meant: %v", outcomes)
	}
	return commands, nextMultiXact(t, watch.Conn) - before
}

func nextMultiXact(t testing.TB, conn *pgx.Conn) int {
	t.Helper()
	exec(t, conn, "checkpoint")
	return value[int](t, conn, "select next_multixact_id::text::int from pg_control_checkpoint()")
}
