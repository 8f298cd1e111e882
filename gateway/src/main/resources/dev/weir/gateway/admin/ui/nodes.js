// The nodes: how each does, in a word, and its load in one phase.

import { by, follow, make, say, set, show, spark } from './dom.js';
import { count, millis, percent, rate } from './format.js';
import { showScores } from './scores.js';
import { Weights } from './weights.js';

const PHASES = ['query', 'fetch', 'get', 'write', 'can-match'];

const TONES = { healthy: 'good', unused: 'none', drained: 'none', reduced: 'none', busy: 'warn', slow: 'warn', unsteady: 'warn', stalled: 'bad', ejected: 'bad', lost: 'bad' };

/** The columns. `of` gets the node of /stats, and its row of the phase in /routing or undefined. */
const COLUMNS = [
  { name: 'In flight', title: 'calls of this gateway to the node without a response yet, all phases', of: ({ node }) => count(node.in_flight) },
  { name: 'Queue', title: 'calls that wait on the node for a thread, as it reported last, decaying', of: ({ load }) => (load ? count(load.queue_size) : null) },
  { name: 'Response time', title: 'mean time until the response arrives here', of: ({ load }) => (load ? millis(load.response_ms) : null) },
  { name: 'Service time', title: 'mean time that a thread of the node works on the call, as the node reports it', of: ({ load }) => (load ? millis(load.service_ms) : null) },
  { name: 'Failed', title: 'share of recent calls that failed', of: ({ load }) => (load ? percent(load.error_ratio) : null), tone: ({ load }) => (load?.error_ratio > 0 ? 'warn' : 'none') },
  { name: 'CPU', title: 'of the node’s process, as the node reports it with Weir’s plugin', of: ({ node }) => ratio(node.load?.cpu_ratio) },
  { name: 'Heap', title: 'in use on the node, as the node reports it with Weir’s plugin', of: ({ node }) => ratio(node.load?.heap_ratio) },
  { name: 'Last response', title: 'time since the last response of the phase', of: ({ load }) => since(load) },
];

const ratio = (share) => (share === undefined ? null : percent(share));

function since(load) {
  if (!load || load.since_response_ms < 0) return null;
  return load.since_response_ms < 1000 ? '< 1 s ago' : `${count(load.since_response_ms / 1000)} s ago`;
}

let phase = 'query';
let shownColumns = '';
let newest = null;
let weights = null;

/** Lets the rows have a button that drains their node. */
export function drainBy(dialog) {
  weights = dialog;
}

function header(columns) {
  by('nodes-head').replaceChildren(
    make('th', { scope: 'col' }, 'Node'),
    make('th', { scope: 'col', title: 'what the gateway knows of the node, the worst first' }, 'Health'),
    make('th', { scope: 'col', class: 'n', title: 'responses of the node to this gateway, all phases' }, 'Responses per second'),
    ...columns.map((one) => make('th', { scope: 'col', class: 'n', title: one.title }, one.name)),
    make('td'),
  );
}

function create(columns) {
  const line = spark();
  const badge = make('span', { class: 'badge' });
  const reason = make('small', { class: 'reason-of' });
  const perSecond = make('span', {}, '–');
  const name = make('span');
  const cells = columns.map((one) => make('td', { class: 'n', 'data-label': one.name }, '–'));
  const button = make('button', { type: 'button' });
  const made = { line, badge, reason, perSecond, name, cells, button, shown: null };
  button.addEventListener('click', () => weights?.open(made.shown));
  made.node = make(
    'tr', {},
    make('th', { scope: 'row' }, name),
    make('td', { 'data-label': 'Health' }, badge, ' ', reason),
    make('td', { class: 'n with-spark', 'data-label': 'Responses per second' }, line.node, perSecond),
    ...cells,
    make('td', { class: 'n' }, button),
  );
  return made;
}

function update(made, one, columns, history, top) {
  const { node } = one;
  made.shown = node;
  say(made.name, node.name || node.node);
  say(made.button, Weights.label(node));
  set(made.button, 'aria-label', `${Weights.label(node)} ${node.name || node.node}`);
  say(made.badge, node.health);
  set(made.badge, 'data-tone', TONES[node.health] ?? 'none');
  set(made.badge, 'title', node.health_reason);
  say(made.reason, node.health === 'healthy' ? '' : node.health_reason);
  const answered = history.line((sample) => sample.answered.get(node.node) ?? null);
  made.line.show(answered, history.places, top);
  say(made.perSecond, rate(answered.at(-1) ?? null));
  columns.forEach((column, i) => {
    say(made.cells[i], column.of(one) ?? '–');
    set(made.cells[i], 'data-tone', column.tone?.(one) ?? 'none');
  });
}

function choosePhases(known) {
  const phases = PHASES.filter((one) => known.has(one));
  show(by('phases'), phases.length > 1);
  follow(
    by('phases'),
    phases,
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
  const known = new Set(routing.nodes.map((row) => row.phase));
  choosePhases(known);
  const shownPhase = known.has(phase) || known.size === 0 ? phase : PHASES.find((one) => known.has(one)) ?? phase;
  const loads = routing.nodes.filter((row) => row.phase === shownPhase);
  const byNode = new Map(loads.map((row) => [row.node, row]));
  const rows = stats.nodes
    .map((node) => ({ id: node.node, node, load: byNode.get(node.node) }))
    .sort((one, other) => one.node.name.localeCompare(other.node.name, 'en', { numeric: true }));
  const columns = COLUMNS.filter((column) => rows.some((row) => column.of(row) !== null)); // hide what no node reports
  if (shownColumns !== columns.map((one) => one.name).join()) {
    shownColumns = columns.map((one) => one.name).join();
    follow(by('nodes'), [], () => '', () => {}, () => {});
    header(columns);
  }
  const top = Math.max(0, ...history.samples.flatMap((sample) => [...sample.answered.values()].map((value) => value ?? 0)));
  follow(by('nodes'), rows, (row) => row.id, () => create(columns), (made, row) => update(made, row, columns, history, top));
  show(by('nodes-empty'), rows.length === 0);
  show(by('nodes-table'), rows.length > 0);
  show(by('scores-part'), loads.length > 0);
  showScores(routing, loads);
}
