// The terms of the nodes' scores, for one phase: why copies on a node rank where they do.

import { by, follow, make, say, set } from './dom.js';
import { digits, fixed, percent } from './format.js';

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

/** Algorithms whose score is a time in nanoseconds. */
const TIMED = new Set(['adaptive', 'c3']);

let columns = '';

const term = (key) => {
  const name = key.replace(/_ms$/, '');
  return { key, name, title: MEANINGS[name] ?? name, ms: key.endsWith('_ms') };
};

function header(terms, timed) {
  by('scores-head').replaceChildren(
    make('th', { scope: 'col' }, 'Node'),
    make('th', { scope: 'col', class: 'n', title: 'the copy on the node with the lowest score ranks first' }, timed ? 'Score, ms' : 'Score'),
    ...terms.map((one) => make('th', { scope: 'col', class: 'n', title: one.title }, make('abbr', { title: one.title }, one.name), one.ms ? make('small', {}, ' ms') : '')),
  );
}

function create(terms, timed) {
  const share = make('i');
  const score = make('span', {}, '–');
  const name = make('span');
  const cells = terms.map((one) => make('td', { class: 'n', 'data-label': `${one.name}${one.ms ? ', ms' : ''}` }));
  const node = make('tr', {}, make('th', { scope: 'row' }, name), make('td', { class: 'n share', 'data-label': timed ? 'Score, ms' : 'Score' }, share, score), ...cells);
  return { node, share, score, name, cells };
}

/** Shows the nodes that have figures of the phase. */
export function showScores(routing, rows) {
  const keys = Object.keys(routing.nodes[0]?.terms ?? {});
  const terms = keys.map(term);
  const timed = TIMED.has(routing.policy.algorithm);
  if (columns !== keys.join() + timed) {
    columns = keys.join() + timed;
    follow(by('scores'), [], () => '', () => {}, () => {}); // rows of another algorithm have other cells
    header(terms, timed);
    by('terms').replaceChildren(...terms.map((one) => make('div', {}, make('dt', {}, one.name), make('dd', {}, one.title))));
  }
  const unit = timed ? 1e6 : 1;
  const scores = rows.map((row) => row.score / unit);
  const worst = Math.max(0, ...scores.filter(Number.isFinite));
  const places = { score: digits(scores), terms: keys.map((key) => digits(rows.map((row) => row.terms[key] ?? NaN))) };
  follow(by('scores'), rows, (row) => row.node, () => create(terms, timed), (made, row) => {
    say(made.name, row.name || row.node);
    say(made.score, fixed(row.score / unit, places.score));
    made.share.style.width = worst > 0 ? `${(row.score / unit / worst) * 100}%` : '0';
    terms.forEach((one, i) => {
      const value = row.terms[one.key];
      say(made.cells[i], value === undefined || value === null ? '–' : one.name === 'errors' ? percent(value) : fixed(value, places.terms[i]));
      set(made.cells[i], 'data-tone', (one.name === 'errors' || one.name === 'silence') && value > 0 ? 'warn' : 'none');
    });
  });
  say(by('policy'), `Routing algorithm ${routing.policy.algorithm ?? 'unknown'}${routing.formula ? ':' : ''}`);
  say(by('formula'), routing.formula ? `score = ${routing.formula.replace(/^score = /, '')}` : '');
}
