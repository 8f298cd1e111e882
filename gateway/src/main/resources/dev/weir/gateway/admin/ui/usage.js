// Requests by index and by tenant: rates and latency of the last polls, totals since the start.

import { by, follow, make, say, set, show } from './dom.js';
import { bytes, count, millis, rate } from './format.js';
import { buckets, quantile } from './history.js';

const WINDOW_MS = 60000;
const MOST = 12;
const LISTS = [
  { key: 'by_index', id: 'by-index', other: 'other indices', name: (name) => (name === '*' ? 'all indices, or none in the path' : name) },
  { key: 'by_tenant', id: 'by-tenant', other: 'other tenants', name: (name) => name },
];

/** The polls of the last minute, the oldest first. */
let polls = [];

function difference(now, before) {
  const old = before ?? { requests: 0, errors: 0, rejections: 0, cumulative_counts: now.cumulative_counts.map(() => 0) };
  const counts = buckets(now).map((n, i) => Math.max(0, n - buckets(old)[i]));
  return { requests: Math.max(0, now.requests - old.requests), errors: now.errors - old.errors, rejections: now.rejections - old.rejections, counts };
}

function create(list) {
  const share = make('i');
  const name = make('span');
  const labels = ['Requests per second', 'Median', 'p99', 'Errors', 'Rejections', 'Received', 'Sent'];
  const cells = labels.map((label) => make('td', { class: 'n', 'data-label': label }, '–'));
  return { node: make('tr', {}, make('th', { scope: 'row', class: 'share' }, share, name), ...cells), share, name, cells, list };
}

function rowsOf(usage, list, old) {
  const before = new Map((old?.[list.key].top ?? []).map((row) => [row.name, row]));
  // a name that just came into the list has no figures of before: its total is no rate
  const rows = usage[list.key].top.slice(0, MOST).map((row) => ({ key: `name ${row.name}`, name: list.name(row.name), row, more: before.has(row.name) ? difference(row, before.get(row.name)) : null }));
  const rest = [...usage[list.key].top.slice(MOST), usage[list.key].other];
  const other = Object.fromEntries(['requests', 'errors', 'rejections', 'request_bytes', 'response_bytes'].map((figure) => [figure, rest.reduce((sum, row) => sum + row[figure], 0)]));
  if (other.requests > 0) rows.push({ key: 'other', name: list.other, row: other, more: null });
  return rows;
}

export function showUsage({ stats, at }) {
  const { usage } = stats;
  if (polls.length > 0 && polls.at(-1).born !== stats.gateway.started_at) polls = [];
  const oldest = polls[0];
  polls.push({ at, usage, born: stats.gateway.started_at });
  while (polls.length > 1 && polls[1].at < at - WINDOW_MS) polls.shift();
  const seconds = oldest ? (at - oldest.at) / 1000 : 0;
  for (const list of LISTS) {
    const shown = rowsOf(usage, list, oldest?.usage);
    const only = shown.length === 1 && (list.key === 'by_tenant' ? usage[list.key].top[0]?.name === '_default' : false);
    show(by(list.id), shown.length > 0 && !only);
    const most = Math.max(1, ...shown.map((one) => one.row.requests));
    follow(by(`${list.id}-rows`), shown, (one) => one.key, () => create(list), (made, one) => {
      say(made.name, one.name);
      made.share.style.width = `${(one.row.requests / most) * 100}%`;
      const { more, row } = one;
      const texts = [
        more && seconds > 0 ? rate(more.requests / seconds) : '–',
        more ? millis(quantile(more.counts, stats.requests.latency_bounds_ms, 0.5)) : '–',
        more ? millis(quantile(more.counts, stats.requests.latency_bounds_ms, 0.99)) : '–',
        count(row.errors),
        count(row.rejections),
        bytes(row.request_bytes),
        bytes(row.response_bytes),
      ];
      texts.forEach((text, i) => say(made.cells[i], text));
      set(made.cells[3], 'data-tone', more?.errors > 0 ? 'warn' : 'none');
      set(made.cells[4], 'data-tone', more?.rejections > 0 ? 'warn' : 'none');
      set(made.node, 'data-idle', more !== null && more.requests === 0);
    });
  }
}
