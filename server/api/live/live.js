// Shows fixtures from the stream. Each card is read once; after that every note carries what changes. A note that was in
// the read already is recognised by its number (seq).
'use strict';

const wanted = new URLSearchParams(location.search);
const event = wanted.get('event') || '';
const fixture = wanted.get('fixture') || '';
const cards = new Map(); // reference -> card
const lastPlays = 6;
let source = null;
let position = ''; // where the stream goes on, when this page opens it anew
let patience = 0;
let again = 0;

document.getElementById('event').value = event;

function show(state, text) {
    const line = document.getElementById('connection');
    line.dataset.state = state;
    line.textContent = text;
}

function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
}

function cardOf(ref) {
    let card = cards.get(ref);
    if (!card) {
        card = { ref, seq: 0, names: {}, score: null, period: null, status: '', shootout: null, plays: [], root: element('article'), reading: false };
        cards.set(ref, card);
        document.getElementById('fixtures').append(card.root);
        document.getElementById('empty').hidden = true;
    }
    return card;
}

async function get(path) {
    const response = await fetch(path, { cache: 'no-store' });
    if (!response.ok) throw new Error(path + ': ' + response.status);
    return response.json();
}

// Reads a fixture's state; the last plays come from the stream and, once, from the view.
async function read(ref) {
    const card = cardOf(ref);
    if (card.reading) return null;
    card.reading = true;
    try {
        const state = await get('/subjects/fixture/' + encodeURIComponent(ref));
        const score = state.data.score || {};
        card.names = state.data.schedule;
        card.seen = state.seq;
        if (state.seq >= card.seq) {
            card.seq = state.seq;
            card.status = state.data.status;
            card.score = score.score || null;
            card.period = score.period || null;
            card.shootout = score.shootout || null;
        }
        const plays = [];
        for (let next = ''; ;) {
            const page = await get('/subjects/fixture/' + encodeURIComponent(ref) + '/plays?limit=500' + (next ? '&cursor=' + encodeURIComponent(next) : ''));
            plays.push(...page.data.items);
            next = page.data.next;
            if (!next) break;
        }
        for (const p of plays.slice(-lastPlays)) addPlay(card, p.play, p.code, p.input);
        draw(card);
        return state.position;
    } catch (e) {
        return null; // the next note tries again
    } finally {
        card.reading = false;
    }
}

function addPlay(card, seq, code, input) {
    if (card.plays.some(p => p.seq === seq)) return;
    card.plays.push({ seq, code, input });
    card.plays.sort((a, b) => b.seq - a.seq);
    card.plays.length = Math.min(card.plays.length, lastPlays);
}

function take(note) {
    if (note.subject.kind !== 'fixture') return;
    const known = cards.has(note.subject.ref);
    const card = cardOf(note.subject.ref);
    if (note.note && note.note.play) addPlay(card, note.seq, note.code, note.note.input || {});
    if (!known || !card.names.home || (note.code === 'fixture_put' && note.seq > (card.seen || 0))) {
        read(note.subject.ref);
        return;
    }
    if (note.seq <= card.seq) return; // the read had it
    card.seq = note.seq;
    if (note.note && note.note.play) {
        card.status = note.note.status;
        card.score = note.note.score;
        card.period = note.note.period;
        card.shootout = note.note.shootout;
    }
    draw(card, true);
}

function words(card, play) {
    const input = play.input;
    const side = input.side ? card.names[input.side] || input.side : '';
    return [play.code.replaceAll('_', ' '), input.period, side, input.player || input.scorer || input.taker, input.kind, input.result]
        .filter(w => typeof w === 'string' && w !== '').join(' · ');
}

function draw(card, moved) {
    const score = card.score || {};
    const about = element('p', undefined, 'about');
    about.append(element('span', card.names.phase || card.ref), element('span', [card.status, card.period].filter(Boolean).join(' · ')));
    const sides = element('dl', undefined, 'sides');
    for (const side of ['home', 'away']) sides.append(element('dt', card.names[side] || '…'), element('dd', score[side] ?? '–'));
    const plays = element('ol');
    for (const p of card.plays) {
        const line = element('li');
        line.append(element('span', p.input.minute ? p.input.minute + '′' : '#' + p.seq), element('span', words(card, p)));
        plays.append(line);
    }
    card.root.replaceChildren(about, sides);
    if (card.shootout && card.shootout.home && card.shootout.away) {
        card.root.append(element('p', 'Shoot-out ' + (card.shootout.home.scored ?? 0) + ' : ' + (card.shootout.away.scored ?? 0), 'shootout'));
    }
    card.root.append(plays);
    card.root.classList.toggle('moved', Boolean(moved));
}

function close() {
    clearTimeout(patience);
    clearTimeout(again);
    if (source) source.close();
    source = null;
}

function open() {
    close();
    const query = new URLSearchParams();
    if (event) query.set('event', event);
    if (fixture) query.set('fixture', fixture);
    query.set('kind', 'fixture');
    if (position) query.set('after', position);
    show('connecting', 'connecting');
    // A browser gives one server six connections; a seventh tab waits without a word.
    patience = setTimeout(() => show('connecting', 'still connecting: too many tabs open?'), 5000);
    source = new EventSource('/notes?' + query);
    source.addEventListener('hello', e => {
        clearTimeout(patience);
        if (!position) position = JSON.parse(e.data).position;
        show('live', 'live');
    });
    source.addEventListener('note', e => {
        position = e.lastEventId;
        take(JSON.parse(e.data));
    });
    source.addEventListener('reload', e => {
        position = JSON.parse(e.data).position;
        for (const ref of cards.keys()) read(ref);
    });
    source.addEventListener('bye', e => {
        const bye = JSON.parse(e.data);
        close();
        show('connecting', 'server restarts, coming back');
        again = setTimeout(open, bye.retry_ms);
    });
    source.addEventListener('error', () => {
        show('lost', 'connection lost, trying again');
        if (source && source.readyState === EventSource.CLOSED) { // the server said no; a browser gives up then
            close();
            again = setTimeout(open, 3000);
        }
    });
}

async function start() {
    if (fixture) {
        position = await read(fixture) || '';
    } else if (event) {
        try {
            for (let next = ''; ;) {
                const page = await get('/subjects/event/' + encodeURIComponent(event) + '/fixtures?limit=100' + (next ? '&cursor=' + encodeURIComponent(next) : ''));
                position = position || page.position; // the first read's: nothing after it is missed
                for (const f of page.data.items) await read(f.ref);
                next = page.data.next;
                if (!next) break;
            }
        } catch (e) {
            document.getElementById('empty').textContent = 'There is no such event (yet).';
        }
    }
    open();
}

// A tab that nobody sees gives its connection back, and goes on where it was when it is looked at again.
document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
        close();
        show('connecting', 'paused');
    } else if (!source) {
        open();
    }
});

start();
