package workflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"umpire/client"
	"umpire/server/api"
	"umpire/server/road"
	"umpire/tests/harness"
)

// oche is a database with darts, a sender, and the API on it.
type oche struct {
	db        *harness.DB
	conn      *pgx.Conn
	api       *httptest.Server
	client    *client.Client
	catalogue *road.Catalogue
}

func withSport(t *testing.T) *oche {
	t.Helper()
	o := &oche{db: harness.New(t)}
	o.conn = o.db.Conn(t)
	if err := install(t, o.db, withDarts(t)); err != nil {
		t.Fatal(err)
	}
	o.serve(t)
	token, hash := road.NewToken()
	if err := road.AddSender(t.Context(), o.conn, road.NewSender{Name: "marker", TokenSHA256: hash}); err != nil {
		t.Fatal(err)
	}
	o.client = &client.Client{BaseURL: o.api.URL, Token: token}
	o.call(t, "event", "event", "open", "e", "create", `{"name": "Open"}`, "", "accepted")
	for _, fixture := range []string{"board-1", "board-2"} {
		o.call(t, "event", "event", "open", fixture, "fixture_put", `{"fixture": "`+fixture+`", "sport": "darts", "home": "Ann", "away": "Bea"}`,
			`{"rows": {"fixture/`+fixture+`/schedule": null}}`, "accepted")
	}
	o.call(t, "event", "event", "open", "m", "fixture_put", `{"fixture": "match", "sport": "football", "home": "Reds", "away": "Blues"}`,
		`{"rows": {"fixture/match/schedule": null}}`, "accepted")
	return o
}

func (o *oche) serve(t *testing.T) {
	t.Helper()
	r, err := road.Open(t.Context(), road.Options{URL: o.db.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if o.catalogue, err = r.LoadCatalogue(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := api.New(api.Options{Engine: r, Catalogue: o.catalogue})
	if err != nil {
		t.Fatal(err)
	}
	o.api = httptest.NewServer(a)
	t.Cleanup(o.api.Close)
}

// call goes to road.execute; want is the outcome, with the reason behind a blank when there is one.
func (o *oche) call(t *testing.T, workflow, kind, ref, key, code, input, saw, want string) client.Answer {
	t.Helper()
	var outcome string
	var body []byte
	err := o.conn.QueryRow(t.Context(), "select outcome, answer from road.execute('marker', $1, $2, $3, $4, $5, $6::jsonb, nullif($7, '')::jsonb)",
		workflow, kind, ref, code, key, input, saw).Scan(&outcome, &body)
	if err != nil {
		t.Fatalf("%s %s %s: %v", workflow, code, input, err)
	}
	var a client.Answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	a.Outcome = outcome
	expect(t, &a, want)
	return a
}

// send goes over HTTP.
func (o *oche) send(t *testing.T, ref, key, code, input, saw, want string) client.Answer {
	t.Helper()
	c := client.Command{Workflow: "darts", Kind: "fixture", Ref: ref, Key: key, Code: code, Input: json.RawMessage(input)}
	if saw != "" {
		c.Saw = json.RawMessage(saw)
	}
	a, err := o.client.Send(t.Context(), c)
	if err != nil {
		t.Fatalf("%s %s: %v", code, input, err)
	}
	expect(t, a, want)
	return *a
}

func expect(t *testing.T, a *client.Answer, want string) {
	t.Helper()
	got := a.Outcome
	if a.Reason != nil {
		got += " " + a.Reason.Code
	}
	if got != want {
		t.Fatalf("%s.%s under key %s: %s, want %s", a.Workflow, a.Code, a.Key, got, want)
	}
}

func (o *oche) get(t *testing.T, path string) (int, string) {
	t.Helper()
	response, err := http.Get(o.api.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// problems is what `umpire ops verify` finds.
func (o *oche) problems(t *testing.T) ([]string, error) {
	t.Helper()
	rows, err := o.conn.Query(t.Context(), "select v.ref || ': ' || v.problem from road.verify() v where v.problem is not null")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// visits is a whole leg: who throws, with what, and what is left to that side afterwards.
var visits = []struct {
	side, darts string
	left        string
}{
	{"home", `["T20", "T20", "T20"]`, "321"},
	{"away", `["T19", "S20", "S5"]`, "419"},
	{"home", `["T20", "T20", "T20"]`, "141"},
	{"away", `["T20", "T20", "25"]`, "274"},
	{"home", `["T20", "T20", "S20"]`, "1 would be left: bust"},
	{"away", `["T20", "T20", "S14"]`, "140"},
	{"home", `["T20", "T19", "D12"]`, "0"},
}

func (o *oche) leg(t *testing.T, play func(key, code, input, saw string) client.Answer) {
	t.Helper()
	a := play("k", "throw_off", `{"side": "home"}`, `{"play": null}`)
	for i, v := range visits {
		saw, err := json.Marshal(map[string]int64{"play": a.Seq})
		if err != nil {
			t.Fatal(err)
		}
		a = play("k"+string(rune('a'+i)), "visit", `{"side": "`+v.side+`", "darts": `+v.darts+`}`, string(saw))
		var result struct {
			Score  map[string]json.Number
			Status string
		}
		if err := json.Unmarshal(a.Result, &result); err != nil {
			t.Fatal(err)
		}
		left, _, bust := strings.Cut(v.left, " would")
		if bust {
			left = "141"
		}
		if string(result.Score[v.side]) != left || (result.Status == "finished") != (left == "0") {
			t.Errorf("visit %d: %s, want %s left", i, a.Result, v.left)
		}
	}
}

func TestALegOverRoadExecute(t *testing.T) {
	o := withSport(t)
	o.leg(t, func(key, code, input, saw string) client.Answer {
		return o.call(t, "darts", "fixture", "board-1", key, code, input, saw, "accepted")
	})
	var status, state string
	err := o.conn.QueryRow(t.Context(), `select t.status, c.state::text from sport.fixture_status t join sport.fixture_score c using (fixture_id)
		join road.subject s on s.subject_id = t.fixture_id where s.ref = 'board-1'`).Scan(&status, &state)
	if err != nil || status != "finished" {
		t.Errorf("status %s, state %s, %v", status, state, err)
	}
	if found, err := o.problems(t); err != nil || len(found) > 0 {
		t.Errorf("a replay gives something else: %v %v", found, err)
	}
	// The replay would see it.
	if _, err := o.conn.Exec(t.Context(), `update sport.fixture_score set state = jsonb_set(state, '{score,away}', '139') where state ->> 'status' = 'finished'`); err != nil {
		t.Fatal(err)
	}
	if found, err := o.problems(t); err != nil || len(found) != 1 {
		t.Errorf("a changed score is not noticed: %v %v", found, err)
	}
	if _, err := o.conn.Exec(t.Context(), "update sport.fixture_score set state = $1 where state ->> 'status' = 'finished'", state); err != nil {
		t.Fatal(err)
	}
}

func TestALegOverHTTP(t *testing.T) {
	o := withSport(t)
	o.leg(t, func(key, code, input, saw string) client.Answer {
		return o.send(t, "board-1", key, code, input, saw, "accepted")
	})
	if status, body := o.get(t, "/subjects/fixture/board-1/darts_averages"); status != 200 || !strings.Contains(strings.ReplaceAll(body, " ", ""), `"data":{"away":120.33,"home":125.25}`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := o.get(t, "/subjects/fixture/match/darts_averages"); status != 200 || !strings.Contains(strings.ReplaceAll(body, " ", ""), `"data":null`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := o.get(t, "/subjects/fixture/board-1"); status != 200 || !strings.Contains(strings.ReplaceAll(body, " ", ""), `"status":"finished"`) {
		t.Errorf("%d %s", status, body)
	}
	if found, err := o.problems(t); err != nil || len(found) > 0 {
		t.Errorf("a replay gives something else: %v %v", found, err)
	}
}

func TestRefusalsAndConflict(t *testing.T) {
	o := withSport(t)
	o.send(t, "board-2", "1", "visit", `{"side": "home", "darts": ["T20", "T20", "T20"]}`, `{"play": null}`, "refused not_running")
	a := o.send(t, "board-2", "2", "throw_off", `{"side": "home"}`, `{"play": null}`, "accepted")
	if a := o.send(t, "board-2", "2", "throw_off", `{"side": "home"}`, `{"play": null}`, "duplicate"); a.First == nil || a.First.Outcome != "accepted" {
		t.Errorf("%+v", a)
	}
	o.send(t, "board-2", "2", "throw_off", `{"side": "away"}`, `{"play": null}`, "refused key_reused")
	saw, err := json.Marshal(map[string]int64{"play": a.Seq})
	if err != nil {
		t.Fatal(err)
	}
	o.send(t, "board-2", "3", "throw_off", `{"side": "home"}`, string(saw), "refused already_started")
	o.send(t, "board-2", "4", "visit", `{"side": "away", "darts": ["T20", "T20", "T20"]}`, string(saw), "refused out_of_turn")
	o.send(t, "board-2", "5", "visit", `{"side": "home", "darts": ["T20"]}`, string(saw), "refused darts_missing")
	o.send(t, "board-2", "6", "visit", `{"side": "home", "darts": ["T20", "T20", "T21"]}`, string(saw), "refused bad_input")
	o.send(t, "board-2", "7", "visit", `{"side": "home", "darts": ["T20", "T20", "T20"], "caller": "x"}`, string(saw), "refused bad_input")
	o.send(t, "board-2", "8", "visit", `{"side": "home", "darts": ["T20", "T20", "T20"]}`, "", "refused version_missing")
	o.send(t, "match", "9", "throw_off", `{"side": "home"}`, `{"play": null}`, "refused wrong_workflow")
	o.send(t, "board-2", "10", "visit", `{"side": "home", "darts": ["T20", "T20", "T20"]}`, string(saw), "accepted")
	c := o.send(t, "board-2", "11", "visit", `{"side": "away", "darts": ["T20", "T20", "T20"]}`, string(saw), "conflict version_moved")
	if !strings.Contains(string(c.Changed), `"visit"`) {
		t.Errorf("the conflict does not show the visit that was missed: %s", c.Changed)
	}
	o.call(t, "football", "fixture", "board-2", "12", "period_start", `{"period": "H1"}`, string(lastPlay(t, c)), "refused wrong_workflow")
}

// lastPlay is what a sender says it saw after it looked at a conflict.
func lastPlay(t *testing.T, conflict client.Answer) []byte {
	t.Helper()
	var plays []struct {
		Seq int64 `json:"changed_seq"`
	}
	if err := json.Unmarshal(conflict.Changed, &plays); err != nil || len(plays) == 0 {
		t.Fatalf("%s %v", conflict.Changed, err)
	}
	saw, err := json.Marshal(map[string]int64{"play": plays[len(plays)-1].Seq})
	if err != nil {
		t.Fatal(err)
	}
	return saw
}

// The document has the sport's commands with the schema that the catalogue has.
func TestTheDocumentHasIt(t *testing.T) {
	o := withSport(t)
	status, body := o.get(t, "/openapi.json")
	if status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	i := slices.IndexFunc(o.catalogue.Commands, func(c road.CatalogueCommand) bool { return c.Workflow == "darts" && c.Code == "visit" })
	if i < 0 {
		t.Fatal("the catalogue has no darts.visit")
	}
	for _, want := range []string{
		"/workflows/darts/subjects/fixture/{ref}/commands", "/subjects/fixture/{ref}/darts_averages",
		`^(0|25|50|[SDT]([1-9]|1[0-9]|20))$`, "A dart was thrown after the one that ended the visit.",
	} {
		quoted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(body, strings.Trim(string(quoted), `"`)) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

// What the page says of taking it out: the same functions, grants and catalogue as before, and no trace in the document.
func TestTakenOutAgainNothingIsLeft(t *testing.T) {
	db := harness.New(t)
	conn := db.Conn(t)
	before := picture(t, conn)
	if err := install(t, db, withDarts(t)); err != nil {
		t.Fatal(err)
	}
	if slices.Equal(before, picture(t, conn)) {
		t.Fatal("installing the sport changed nothing: is the picture blind?")
	}
	if err := install(t, db, withoutDarts(t)); err != nil {
		t.Fatal(err)
	}
	after := picture(t, conn)
	for _, thing := range after {
		if !slices.Contains(before, thing) {
			t.Errorf("is left: %.200s", thing)
		}
	}
	for _, thing := range before {
		if !slices.Contains(after, thing) {
			t.Errorf("is gone: %.200s", thing)
		}
	}
	o := &oche{db: db, conn: conn}
	o.serve(t)
	if _, body := o.get(t, "/openapi.json"); strings.Contains(body, "darts") {
		t.Error("the document still speaks of darts")
	}
}

// What was played stays, its keys keep their answers, and only the replay does not know what to do.
func TestTakenOutAfterItWasPlayed(t *testing.T) {
	o := withSport(t)
	o.call(t, "darts", "fixture", "board-1", "k", "throw_off", `{"side": "home"}`, `{"play": null}`, "accepted")
	if err := install(t, o.db, withoutDarts(t)); err != nil {
		t.Fatal(err)
	}
	o.call(t, "darts", "fixture", "board-1", "k", "throw_off", `{"side": "home"}`, `{"play": null}`, "refused unknown_command")
	var saved string
	if err := o.conn.QueryRow(t.Context(), "select road.saved_command('marker', 'k') ->> 'outcome'").Scan(&saved); err != nil || saved != "accepted" {
		t.Errorf("the old key: %s %v", saved, err)
	}
	_, err := o.problems(t)
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) || pgErr.Code != "20000" {
		t.Errorf("verify: %v, want case not found", err)
	}
	// Back in, it is replayed as if nothing had happened.
	if err := install(t, o.db, withDarts(t)); err != nil {
		t.Fatal(err)
	}
	if found, err := o.problems(t); err != nil || len(found) > 0 {
		t.Errorf("%v %v", found, err)
	}
}

// A sport that names plays and brings no fold is not installed at all.
func TestASportWithoutAFoldIsNotInstalled(t *testing.T) {
	db := harness.New(t)
	err := install(t, db, changed(t, func(files fstest.MapFS) {
		for name, file := range withDarts(t).(fstest.MapFS) {
			files[name] = file
		}
		manifest := string(files["install.sql"].Data)
		files["install.sql"] = &fstest.MapFile{Data: []byte(strings.Replace(manifest, `{{ template "sport/darts/fold.sql" . }}`+"\n", "", 1))}
	}))
	if err == nil || !strings.Contains(err.Error(), "sport.darts_fold") {
		t.Errorf("got %v", err)
	}
	var n int
	if err := db.Conn(t).QueryRow(context.Background(), "select count(*) from road.workflow where workflow = 'darts'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d workflows, %v", n, err)
	}
}

// picture is everything that an install may touch.
func picture(t *testing.T, conn *pgx.Conn) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `
		select 'function ' || pg_get_functiondef(p.oid) || coalesce(p.proacl::text, '') || coalesce(obj_description(p.oid, 'pg_proc'), '')
		from pg_proc p where p.pronamespace::regnamespace::text in ('road', 'sport')
		union all select 'relation ' || c.oid::regclass || coalesce(c.relacl::text, '') from pg_class c where c.relnamespace::regnamespace::text in ('road', 'sport')
		union all select 'type ' || y.oid::regtype from pg_type y where y.typnamespace::regnamespace::text in ('road', 'sport')
		union all select 'kind ' || k::text from road.kind k
		union all select 'workflow ' || w::text from road.workflow w
		union all select 'command ' || c::text from road.catalogue_command c
		union all select 'view ' || v::text from road.catalogue_view v
		union all select 'remembered ' || f.signature || f.definition from road.installed_function f`)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}
