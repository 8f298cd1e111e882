// The memory pools, the bytes that requests hold by purpose, and the largest memory bills.

import { by, follow, make, meter, say, set, show } from './dom.js';
import { bytes, count } from './format.js';
import { sum } from './history.js';

const POOLS = { bodies: 'Request bodies', responses: 'Node responses', work: 'Decoded responses, reductions' };
const ITEMS = { body: 'request bodies', 'parsed-body': 'parsed bodies', 'node-responses': 'node responses', 'decoded-responses': 'decoded responses', reduction: 'reductions', 'client-response': 'responses to clients' };

export function showMemory({ stats }) {
  const memory = stats.request_memory;
  say(by('memory-bound'), memory.enabled ? `limit per request ${bytes(memory.max_bytes)}` : 'no limit per request');
  follow(
    by('pools'),
    Object.entries(memory.pools).filter(([, pool]) => pool.peak_bytes > 0 || pool.rejections > 0),
    ([name]) => name,
    ([name]) => {
      const bar = meter(POOLS[name] ?? name);
      const peak = make('span', { class: 'note' });
      return { node: make('li', {}, make('span', { class: 'label' }, POOLS[name] ?? name), bar.node, peak), bar, peak };
    },
    (made, [, pool]) => {
      made.bar.show(pool.held_bytes, pool.limit_bytes, `${bytes(pool.held_bytes)} of ${bytes(pool.limit_bytes)}`, pool.peak_bytes);
      say(made.peak, `peak ${bytes(pool.peak_bytes)}${pool.rejections > 0 ? ` · ${count(pool.rejections)} rejected` : ''}`);
    },
  );
  show(by('memory-part'), Object.values(memory.pools).some((pool) => pool.peak_bytes > 0 || pool.rejections > 0));
  showStack(memory.held_bytes);
  showBills(memory.largest_requests);
}

function showStack(held) {
  const items = Object.entries(held).filter(([, n]) => n > 0);
  for (const id of ['stack-title', 'stack', 'stack-keys']) show(by(id), items.length > 0);
  const all = sum(items.map(([, n]) => n));
  follow(
    by('stack'),
    items,
    ([name]) => name,
    ([name]) => ({ node: make('i', { 'data-item': name }) }),
    (made, [, n]) => {
      made.node.style.width = all > 0 ? `${(n / all) * 100}%` : '0';
    },
  );
  set(by('stack'), 'aria-label', all > 0 ? items.map(([name, n]) => `${ITEMS[name] ?? name} ${bytes(n)}`).join(', ') : 'No request holds memory');
  follow(
    by('stack-keys'),
    items,
    ([name]) => name,
    ([name]) => {
      const amount = make('b');
      return { node: make('li', {}, make('i', { 'data-item': name }), make('span', {}, ITEMS[name] ?? name), amount), amount };
    },
    (made, [, n]) => {
      say(made.amount, bytes(n));
      set(made.node, 'data-idle', n === 0);
    },
  );
}

function showBills(largest) {
  const rows = largest.filter((one) => one.bytes > 0);
  show(by('bills-part'), rows.length > 0);
  follow(
    by('bills'),
    rows.map((one, place) => ({ ...one, place })),
    (one) => one.place,
    () => {
      const asked = make('code', { class: 'asked' });
      const amount = make('b', { class: 'n' });
      const bill = make('span', { class: 'note' });
      return { node: make('li', {}, asked, amount, bill), asked, amount, bill };
    },
    (made, one) => {
      say(made.asked, one.request_line);
      say(made.amount, bytes(one.bytes));
      say(made.bill, `${one.breakdown.join(' · ')}${one.peak_bytes > one.bytes ? ` · peak ${bytes(one.peak_bytes)}` : ''}`);
    },
  );
}
