// Calls in flight and limits of each node by class of work, and the requests that wait in the gateway.

import { by, follow, make, meter, say, set, show } from './dom.js';
import { bytes, count, fixed, millis } from './format.js';

const CLASSES = ['search', 'get', 'write'];
const NAMES = { search: 'Searches', get: 'Gets', write: 'Writes' };

const WRITE_BYTES = 'bytes';
const HEADINGS = { ...NAMES, [WRITE_BYTES]: 'Write bytes' };

/** Why a node may have more calls in flight than its limit. */
const OVER =
  'The limit says when the next request may start, not how many calls may run. A request starts as a whole while the node is below its limit, with all of its calls; ' +
  'fetches, hedged requests and retries of started requests never wait; and the limit falls while calls are in flight. So a node can be over its limit for a moment: then no further request starts on it.';

let shownColumns = '';

function create(node, columns) {
  const cells = columns.map((column) => ({ column, bar: meter(`${HEADINGS[column]} in flight on ${node.name}`, true), parts: make('small') }));
  const name = make('span', {}, node.name);
  return {
    cells,
    name,
    node: make('tr', {}, make('th', { scope: 'row' }, name), ...cells.map((one) => make('td', { 'data-label': HEADINGS[one.column] }, one.bar.node, one.parts))),
  };
}

function nodesOf(stats) {
  const nodes = new Map();
  const of = (id, name) => {
    const known = nodes.get(id) ?? nodes.set(id, { id, name: name || id, lanes: {}, bytes: null }).get(id);
    if (name) known.name = name;
    return known;
  };
  for (const work of CLASSES) {
    for (const lane of stats.queues[work]?.nodes ?? []) of(lane.node, lane.name).lanes[work] = lane;
  }
  const names = new Map(stats.nodes.map((node) => [node.node, node.name]));
  for (const row of stats.bulk.nodes) of(row.node, names.get(row.node)).bytes = row;
  return [...nodes.values()].sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

/** The calls in flight by phase, where some are not of the first one: `9 query, 4 fetch`. */
function partsOf(lane) {
  const phases = Object.entries(lane?.in_flight_by_phase ?? {});
  return phases.length > 1 || phases[0]?.[0] === 'fetch' ? phases.map(([phase, n]) => `${count(n)} ${phase}`).join(', ') : '';
}

function showLane(one, lane) {
  const reserved = lane?.reserved > 0 ? ` + ${count(lane.reserved)} about to start` : '';
  const limit = lane ? fixed(lane.concurrency_limit, lane.concurrency_limit < 100 ? 1 : 0) : '';
  const over = lane && lane.in_flight > lane.concurrency_limit;
  one.bar.show(lane?.in_flight ?? 0, lane?.concurrency_limit ?? 0, lane ? `${count(lane.in_flight)}${reserved}, limit ${limit}${over ? ' (over)' : ''}` : '–');
  say(one.parts, partsOf(lane));
}

function showBytes(one, held) {
  one.bar.show(held?.in_flight_bytes ?? 0, held?.limit_bytes ?? 0, held ? `${bytes(held.in_flight_bytes)} of ${bytes(held.limit_bytes)}${held.waiting_shard_requests > 0 ? `, ${count(held.waiting_shard_requests)} waiting` : ''}` : '–');
}

export function showQueues({ stats }) {
  const nodes = nodesOf(stats);
  show(by('limits'), nodes.length > 0);
  const columns = [...CLASSES.filter((work) => nodes.some((node) => node.lanes[work])), ...(nodes.some((node) => node.bytes) ? [WRITE_BYTES] : [])];
  if (shownColumns !== columns.join()) {
    shownColumns = columns.join();
    follow(by('lanes'), [], () => '', () => {}, () => {});
    by('lanes-head').replaceChildren(make('th', { scope: 'col' }, 'Node'), ...columns.map((column) => make('th', { scope: 'col' }, HEADINGS[column])));
  }
  follow(by('lanes'), nodes, (node) => node.id, (node) => create(node, columns), (made, node) => {
    say(made.name, node.name);
    for (const one of made.cells) {
      if (one.column === WRITE_BYTES) showBytes(one, node.bytes);
      else showLane(one, node.lanes[one.column]);
    }
  });
  const over = nodes.some((node) => Object.values(node.lanes).some((lane) => lane.in_flight > lane.concurrency_limit));
  show(by('lanes-over'), over);
  say(by('lanes-over'), over ? OVER : '');
  showWaits(stats);
}

function showWaits(stats) {
  const queues = CLASSES.filter((work) => stats.queues[work]).map((work) => {
    const queue = stats.queues[work];
    const tenants = Object.entries(queue.waiting_by_tenant).map(([tenant, n]) => `${tenant} ${count(n)}`).join(', ');
    const mean = queue.delayed_requests > 0 ? `${count(queue.delayed_requests)} waited, ${millis(queue.wait_ms / queue.delayed_requests)} on average` : 'none so far';
    return { name: NAMES[work], now: queue.waiting_requests, note: tenants || mean, seen: queue.delayed_requests > 0 };
  });
  const paced = stats.pacing.rules.reduce((all, rule) => all + rule.delayed, 0);
  const waits = [
    ...queues,
    { name: 'Pacing', now: stats.pacing.waiting_requests, seen: paced > 0, note: stats.pacing.rules.length === 0 ? 'no rate limit' : `${count(paced)} delayed so far` },
    { name: 'Node connections', now: stats.proxy.waiting_requests, note: 'pass-through requests' },
  ].filter((wait) => wait.now > 0 || wait.seen);
  show(by('waits'), waits.length > 0);
  follow(
    by('waits'),
    waits,
    (wait) => wait.name,
    (wait) => {
      const now = make('strong', {}, '0');
      const note = make('span', { class: 'note' });
      return { node: make('li', {}, make('span', { class: 'label' }, wait.name), now, note), now, note };
    },
    (made, wait) => {
      say(made.now, wait.now > 0 ? `${count(wait.now)} waiting` : 'none waiting');
      say(made.note, wait.note);
      set(made.node, 'data-tone', wait.now > 0 ? 'warn' : 'none');
    },
  );
}
