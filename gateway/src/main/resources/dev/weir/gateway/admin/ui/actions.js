// Requests by action: rate and latency over the last minute.

import { by, follow, make, say, set, show } from './dom.js';
import { openRequests } from './drill.js';
import { millis, rate } from './format.js';
import { quantile, sum, labelOf } from './history.js';

const MINUTE_MS = 60000;
const MOST = 14;

export function showActions({ stats }, history) {
  const rows = stats.requests.by_action
    .map((row) => {
      const way = labelOf(row);
      const { counts, seconds } = history.over(MINUTE_MS, way);
      return { row, way, counts, rate: seconds > 0 ? sum(counts) / seconds : null };
    })
    .sort((one, other) => other.row.requests - one.row.requests)
    .slice(0, MOST);
  const most = Math.max(...rows.map((one) => one.rate ?? 0), 0.001);
  show(by('actions-empty'), rows.length === 0);
  follow(
    by('actions'),
    rows,
    (one) => one.way,
    (one) => {
      const share = make('i');
      const cells = [0, 1, 2].map(() => make('td', { class: 'n' }, '–'));
      const path = one.row.path === 'coordinated' ? [] : [make('small', {}, one.row.path === 'passthrough' ? 'passed through' : 'answered by the gateway')];
      const choice = make('button', { type: 'button', class: 'plain-button', 'aria-haspopup': 'dialog', title: 'list its newest requests' }, one.row.action, ' ', ...path);
      const name = make('th', { scope: 'row', class: 'share' }, share, choice);
      choice.addEventListener('click', () => openRequests({ show: 'newest', path: one.row.path, action: one.row.action }));
      return { node: make('tr', {}, name, ...cells), cells, share };
    },
    (made, one) => {
      say(made.cells[0], rate(one.rate));
      say(made.cells[1], millis(quantile(one.counts, history.bounds, 0.5)));
      say(made.cells[2], millis(quantile(one.counts, history.bounds, 0.99)));
      made.share.style.width = `${((one.rate ?? 0) / most) * 100}%`;
      set(made.node, 'data-idle', !one.rate);
    },
  );
}
