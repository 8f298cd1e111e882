// The nodes with their load and the terms of their scores, for one phase.

import { by, follow, make, say, set, show, spark } from './dom.js';
import { count, digits, fixed, millis, percent, rate } from './format.js';

const PHASES = ['query', 'fetch', 'get', 'write', 'can-match'];

/** Short meanings of the score's terms; the page shows unknown terms by name. */
const MEANINGS = {
  s: 'service time',
  c: 'cost of the request, relative to the mean',
  L: 'requests on the node',
  k: 'threads of the node’s pool',
  b: 'load beyond the prediction',
  silence: 'penalty for a missing response',
  errors: 'share of failed calls',
  outstanding: 'calls in flight from this gateway',
  limit: 'concurrency limit of the node',
  others: 'estimated calls in flight from other clients',
  q: 'queue size, reported by the node',
  R: 'response time, measured here',
  S: 'service time, reported by the node',
  qhat: 'estimated queue',
  n: 'number of coordinating clients',
};

/** Shorter labels for a narrow page. */
const SHORT = { s: 'service', c: 'cost', L: 'on the node', k: 'threads', b: 'beyond', q: 'queue', R: 'response', S: 'service', n: 'clients', qhat: 'queue' };

const FIXED = [
  { name: 'Node', head: true },
  { name: 'State' },
  { name: 'Responses/s', title: 'responses of the node to this gateway, all phases' },
  { name: 'Score', title: 'the copy on the node with the lowest score ranks first', score: true },
  { name: 'Response time', title: 'mean response time' },
];

/** Algorithms whose score is a time in nanoseconds. */
const TIMED = new Set(['adaptive', 'c3']);

let phase = 'query';
let columns = '';
let newest = null;

const term = (key) => {
  const name = key.replace(/_ms$/, '');
  return { key, name, title: MEANINGS[name] ?? name, ms: key.endsWith('_ms') };
};

function header(terms, timed) {
  by('nodes-head').replaceChildren(
    ...FIXED.map((one) => make('th', { scope: 'col', class: one.name === 'Node' || one.name === 'State' ? null : 'n', title: one.title }, one.name, one.score && timed ? make('small', {}, ' ms') : '')),
    ...terms.map((one) => make('th', { scope: 'col', class: 'n term', title: one.title }, make('abbr', { title: one.title }, one.name), one.ms ? make('small', {}, ' ms') : '')),
    make('th', { scope: 'col', class: 'n', title: 'time since the last response' }, 'Last response'),
  );
}

const cell = (label, ...children) => make('td', { class: 'n', 'data-label': label }, ...children);

function create(terms, timed) {
  const line = spark();
  const badge = make('span', { class: 'badge' });
  const rateWords = make('span', {}, '–');
  const share = make('i');
  const score = make('span', {}, '–');
  const name = make('span');
  const made = {
    line, badge, rateWords, share, score, name,
    response: cell('Response time'),
    heard: cell('Last response'),
    terms: terms.map((one) => cell(`${one.name}${SHORT[one.name] ? ` ${SHORT[one.name]}` : ''}${one.ms ? ', ms' : ''}`)),
  };
  made.node = make(
    'tr', {},
    make('th', { scope: 'row' }, name),
    make('td', { 'data-label': 'State' }, badge),
    make('td', { class: 'n with-spark', 'data-label': 'Responses/s' }, line.node, rateWords),
    make('td', { class: 'n share', 'data-label': timed ? 'Score, ms' : 'Score' }, share, score),
    made.response,
    ...made.terms,
    made.heard,
  );
  return made;
}

const TONES = { scored: 'good', probe: 'warn', unknown: 'none', 'slow-start': 'warn', unsteady: 'warn', ejected: 'bad', initializing: 'none' };

function update(made, node, terms, history, places) {
  const { load } = node;
  say(made.name, node.name || node.id);
  say(made.badge, node.connected ? (load ? load.state : 'no request so far') : 'not connected');
  set(made.badge, 'data-tone', node.connected ? (load ? TONES[load.state] ?? 'none' : 'none') : 'bad');
  const answered = history.line((sample) => sample.answered.get(node.id) ?? null);
  made.line.show(answered, history.places, node.top);
  say(made.rateWords, rate(answered.at(-1) ?? null));
  say(made.score, load ? fixed(load.score / places.unit, places.score) : '–');
  made.share.style.width = load && places.worst > 0 ? `${(load.score / places.unit / places.worst) * 100}%` : '0';
  say(made.response, load ? millis(load.response_ms) : '–');
  terms.forEach((one, i) => {
    const value = load?.terms[one.key];
    const text = value === undefined || value === null ? '–' : one.name === 'errors' ? percent(value) : fixed(value, places.terms[i]);
    say(made.terms[i], text);
    set(made.terms[i], 'data-tone', (one.name === 'errors' || one.name === 'silence') && value > 0 ? 'warn' : 'none');
  });
  say(made.heard, load && load.since_response_ms >= 0 ? `${load.since_response_ms < 1000 ? '< 1 s' : `${count(load.since_response_ms / 1000)} s`}` : '–');
}

function choosePhases(known) {
  follow(
    by('phases'),
    PHASES.filter((one) => one === 'query' || known.has(one)),
    (one) => one,
    (one) => {
      const choice = make('input', { type: 'radio', name: 'phase', value: one, checked: one === phase });
      choice.addEventListener('change', () => {
        phase = one;
        if (newest) showNodes(...newest);
      });
      return { node: make('label', {}, choice, make('span', {}, one === 'can-match' ? 'can match' : one)) };
    },
    () => {},
  );
}

export function showNodes(figures, history) {
  newest = [figures, history];
  const { stats, routing } = figures;
  const loads = new Map(routing.nodes.filter((row) => row.phase === phase).map((row) => [row.node, row]));
  const nodes = new Map(stats.nodes.map((node) => [node.node, { id: node.node, name: node.name, connected: node.channels > 0 }]));
  for (const row of routing.nodes) {
    if (!nodes.has(row.node)) nodes.set(row.node, { id: row.node, name: row.name, connected: false });
  }
  const top = Math.max(0, ...history.samples.flatMap((sample) => [...sample.answered.values()].map((value) => value ?? 0)));
  const shown = [...nodes.values()].map((node) => ({ ...node, top, load: loads.get(node.id) })).sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
  choosePhases(new Set(routing.nodes.map((row) => row.phase)));
  const keys = Object.keys(routing.nodes[0]?.terms ?? {});
  const terms = keys.map(term);
  const timed = TIMED.has(routing.policy.algorithm);
  if (columns !== keys.join() + timed) {
    columns = keys.join() + timed;
    follow(by('nodes'), [], () => '', () => {}, () => {}); // rows of another algorithm have other cells
    header(terms, timed);
    by('terms').replaceChildren(...terms.map((one) => make('div', {}, make('dt', {}, one.name), make('dd', {}, one.title))));
  }
  const scores = shown.map((node) => (node.load?.score ?? NaN) / (timed ? 1e6 : 1));
  const places = {
    unit: timed ? 1e6 : 1,
    worst: Math.max(0, ...scores.filter(Number.isFinite)),
    score: digits(scores),
    terms: keys.map((key) => digits(shown.map((node) => node.load?.terms[key] ?? NaN))),
  };
  follow(by('nodes'), shown, (node) => node.id, () => create(terms, timed), (made, node) => update(made, node, terms, history, places));
  show(by('nodes-empty'), shown.length === 0);
  show(by('nodes-table'), shown.length > 0);
  say(by('policy'), `Routing algorithm ${routing.policy.algorithm ?? 'unknown'}${routing.formula ? ':' : ''}`);
  say(by('formula'), routing.formula ? `score = ${routing.formula.replace(/^score = /, '')}` : '');
}
