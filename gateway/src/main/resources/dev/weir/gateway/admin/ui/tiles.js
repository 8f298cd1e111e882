// The tiles: current values, and sparklines of the last five minutes.

import { by, make, say, set, spark } from './dom.js';
import { openRequests } from './drill.js';
import { bytes, count, millis, percent, rate } from './format.js';
import { sum, withStatus } from './history.js';

const TILES = [
  { id: 'rate', show: 'newest', label: 'Requests', unit: '/s', pick: (s) => s.rate, text: (s) => rate(s.rate), note: (f) => `${count(sum(f.stats.requests.by_action.map((row) => row.requests)))} in total` },
  { id: 'half', show: 'newest', label: 'Median', pick: (s) => finite(s.half), text: (s) => millis(s.half), note: () => 'of nodes, last 10 s' },
  { id: 'tail', show: 'slow', label: 'p99', pick: (s) => finite(s.tail), text: (s) => millis(s.tail), note: () => 'of nodes, last 10 s' },
  { id: 'under', label: 'In flight', pick: (s) => s.underWay, text: (s) => count(s.underWay), note: (f) => `limit ${count(f.stats.requests.limit)}` },
  { id: 'waiting', label: 'Waiting', pick: (s) => s.waiting, text: (s) => count(s.waiting), note: () => 'in the gateway' },
  { id: 'refused', show: 'rejected', label: 'Rejected', unit: '/s', pick: (s) => s.refusedRate, text: (s) => rate(s.refusedRate), note: (f, h) => `${count(sum([...h.before.refused.values()]))} in total`, tone: (s) => (s.refusedRate > 0 ? 'warn' : 'none') },
  { id: 'failed', show: 'failed', label: 'Errors 5xx', unit: '/s', pick: (s) => s.failedRate, text: (s) => rate(s.failedRate), note: (f) => `${count(withStatus(f.stats, (status) => status >= 500))} in total`, tone: (s) => (s.failedRate > 0 ? 'bad' : 'none') },
  { id: 'heap', label: 'Heap', pick: (s) => s.heap, top: (f) => f.stats.memory.heap_max_bytes, text: (s) => bytes(s.heap), note: (f, h) => `of ${bytes(f.stats.memory.heap_max_bytes)} · CPU ${h.newest() ? percent(h.newest().cores / f.stats.gateway.processors) : '–'}` },
];

const finite = (ms) => (ms === Infinity ? 60000 : ms);
const made = new Map();

/** The name of a tile: a button where the requests behind its figure can be listed. */
function label(tile) {
  if (!tile.show) return make('span', { class: 'label' }, tile.label);
  const button = make('button', { type: 'button', class: 'label plain-button', 'aria-haspopup': 'dialog', title: 'list the requests behind this figure' }, tile.label);
  button.addEventListener('click', () => openRequests({ show: tile.show }));
  return button;
}

function create(tile) {
  const value = make('span', { class: 'value', id: `tile-${tile.id}` }, '–');
  const note = make('span', { class: 'note' }, ' ');
  const line = spark();
  const figures = make('span', { class: 'big' }, value);
  if (tile.unit) figures.append(make('span', { class: 'unit' }, tile.unit));
  const node = make('li', { class: 'tile' }, label(tile), figures, line.node, note);
  by('tiles').append(node);
  return { node, value, note, line };
}

export function showTiles(figures, history) {
  const newest = history.newest();
  for (const tile of TILES) {
    const one = made.get(tile.id) ?? made.set(tile.id, create(tile)).get(tile.id);
    if (!figures) continue;
    say(one.note, tile.note(figures, history));
    if (!newest) continue;
    say(one.value, tile.text(newest));
    set(one.node, 'data-tone', tile.tone?.(newest) ?? 'none');
    one.line.show(history.line(tile.pick), history.places, tile.top?.(figures) ?? 0);
  }
}
