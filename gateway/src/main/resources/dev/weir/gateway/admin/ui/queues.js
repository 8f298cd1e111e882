// Calls in flight and limits of each node by class of work, and the requests that wait in the gateway.

import { by, follow, make, meter, say, set, show } from './dom.js';
import { bytes, count, fixed, millis } from './format.js';

const CLASSES = ['search', 'get', 'write'];
const NAMES = { search: 'Searches', get: 'Gets', write: 'Writes' };

function create(node) {
  const meters = [...CLASSES.map((work) => meter(`${NAMES[work]} in flight on ${node.name}`, true)), meter(`Write bytes in flight on ${node.name}`, true)];
  const labels = [...CLASSES.map((work) => NAMES[work]), 'Write bytes'];
  const name = make('span', {}, node.name);
  return {
    meters,
    name,
    node: make('tr', {}, make('th', { scope: 'row' }, name), ...meters.map((one, i) => make('td', { 'data-label': labels[i] }, one.node))),
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

export function showQueues({ stats }) {
  const nodes = nodesOf(stats);
  show(by('lanes-empty'), nodes.length === 0);
  follow(by('lanes'), nodes, (node) => node.id, create, (made, node) => {
    say(made.name, node.name);
    CLASSES.forEach((work, i) => {
      const lane = node.lanes[work];
      const reserved = lane?.reserved > 0 ? ` + ${lane.reserved} reserved` : '';
      made.meters[i].show(lane?.in_flight ?? 0, lane?.concurrency_limit ?? 0, lane ? `${count(lane.in_flight)} of ${fixed(lane.concurrency_limit, lane.concurrency_limit < 100 ? 1 : 0)}${reserved}` : '–');
    });
    const held = node.bytes;
    made.meters[3].show(held?.in_flight_bytes ?? 0, held?.limit_bytes ?? 0, held ? `${bytes(held.in_flight_bytes)} of ${bytes(held.limit_bytes)}${held.waiting_shard_requests > 0 ? `, ${count(held.waiting_shard_requests)} waiting` : ''}` : '–');
  });
  showWaits(stats);
}

function showWaits(stats) {
  const queues = CLASSES.filter((work) => stats.queues[work]).map((work) => {
    const queue = stats.queues[work];
    const tenants = Object.entries(queue.waiting_by_tenant).map(([tenant, n]) => `${tenant} ${count(n)}`).join(', ');
    const mean = queue.delayed_requests > 0 ? `${count(queue.delayed_requests)} waited, ${millis(queue.wait_ms / queue.delayed_requests)} on average` : 'none so far';
    return { name: NAMES[work], now: queue.waiting_requests, note: tenants || mean };
  });
  const paced = stats.pacing.rules.reduce((all, rule) => all + rule.delayed, 0);
  const waits = [
    ...queues,
    { name: 'Pacing', now: stats.pacing.waiting_requests, note: stats.pacing.rules.length === 0 ? 'no rate limit' : `${count(paced)} delayed so far` },
    { name: 'Node connections', now: stats.proxy.waiting_requests, note: 'pass-through requests' },
  ];
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
