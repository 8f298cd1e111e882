// Traffic by cluster: configured weights and real split. change.js changes them.

import { by, follow, make, meter, say, set, show } from './dom.js';
import { clock, count, fixed, part, rate } from './format.js';
import { Lately, beyond, shares, shiftOf } from './shares.js';

const MOST = 24;

const lately = new Lately();

const many = (n, what) => `${count(n)} ${what}${n === 1 ? '' : 's'}`;

/** The display name of a policy. */
export const titleOf = (policy) => (policy === '' ? 'The whole gateway' : `Policy ${policy}`);

/** Shares as text: `blue 90 %, green 10 %`. */
export const split = (parts) => [...parts].filter(([, share]) => share > 0).map(([name, share]) => `${name} ${part(share)}`).join(', ');

/** A time of day; with its date if it is not today. */
export function moment(text) {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return String(text);
  const today = time.toDateString() === new Date().toDateString();
  return today ? clock(time) : `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock(time)}`;
}

/** A bar with one part per cluster. */
function bar(label) {
  const node = make('div', { class: 'stack split', role: 'img', 'aria-label': label });
  const words = make('span', { class: 'words' }, '–');
  return {
    node,
    words,
    show(parts, text) {
      follow(
        node,
        [...parts].map(([name, share], place) => ({ name, share, place })),
        (one) => one.name,
        (one) => ({ node: make('i', { 'data-place': one.place }) }),
        (made, one) => {
          made.node.style.width = `${one.share * 100}%`;
        },
      );
      say(words, text);
      set(node, 'aria-label', `${label}: ${text}`);
    },
  };
}

function showClusters(traffic) {
  follow(
    by('traffic-clusters'),
    traffic.clusters.map((cluster, place) => ({ ...cluster, place })),
    (cluster) => cluster.name,
    (cluster) => {
      const badge = make('span', { class: 'badge' });
      const why = make('span', { class: 'why note' });
      const cells = ['Requests/s', 'Requests', 'Errors/s', 'Errors 5xx', 'Error rate'].map((label) => make('td', { class: 'n', 'data-label': label }, '–'));
      const name = make('th', { scope: 'row' }, make('span', { class: 'named' }, make('i', { class: 'swatch', 'data-place': cluster.place }), make('span', {}, cluster.name)));
      return { node: make('tr', {}, name, make('td', { 'data-label': 'Available' }, badge, why), ...cells), badge, why, cells };
    },
    (made, cluster) => {
      const errors = lately.rate(cluster.name, 'errors');
      say(made.badge, cluster.available ? 'available' : 'unavailable');
      set(made.badge, 'data-tone', cluster.available ? 'good' : 'bad');
      show(made.why, !cluster.available);
      say(made.why, cluster.unavailability_reason);
      say(made.cells[0], rate(lately.rate(cluster.name, 'requests')));
      say(made.cells[1], count(cluster.requests));
      say(made.cells[2], rate(errors));
      say(made.cells[3], count(cluster.errors));
      say(made.cells[4], cluster.requests > 0 ? part(cluster.errors / cluster.requests) : '–');
      set(made.cells[2], 'data-tone', errors > 0 ? 'warn' : 'none');
    },
  );
}

function create(row, change) {
  const weights = bar(`Weights of ${titleOf(row.policy)}`);
  const seen = bar(`Requests of ${titleOf(row.policy)}`);
  const since = make('span', { class: 'label' }, 'Recent');
  const details = make('p', { class: 'note' });
  const badge = make('span', { class: 'badge', 'data-tone': 'warn' });
  const instead = make('p', { class: 'instead' });
  const button = make('button', { type: 'button', 'aria-label': `Shift the weights of ${titleOf(row.policy)}` }, 'Shift…');
  button.addEventListener('click', () => change.shift(row.policy));
  const errors = meter(`Errors beyond those of the rollback target of ${titleOf(row.policy)}`);
  const differences = meter(`Shadow reads of ${titleOf(row.policy)} with differences`);
  const rule = make('p', { class: 'note' });
  const errorsLabel = make('span', { class: 'label' });
  const different = make('div', { class: 'budget' }, make('span', { class: 'label' }, 'Shadow reads with differences'), differences.node);
  const budget = make('div', { class: 'budgets' }, rule, make('div', { class: 'budget' }, errorsLabel, errors.node), different);
  const node = make(
    'li',
    {},
    make('div', { class: 'head' }, make('h3', {}, titleOf(row.policy)), badge, button),
    details,
    make('div', { class: 'compare' }, make('span', { class: 'label' }, 'Weights'), weights.node, weights.words, since, seen.node, seen.words),
    instead,
    budget,
  );
  return { node, weights, seen, since, details, badge, instead, button, errors, differences, rule, errorsLabel, different, budget };
}

function showBudget(made, budget) {
  show(made.budget, budget !== undefined);
  if (!budget) return;
  const seen = beyond(budget);
  const limited = budget.max_difference_percent < 100;
  const belowMinimum = (n) => (n < budget.min_requests ? `; ${count(n)} of the required ${count(budget.min_requests)} requests` : '');
  const digits = (n) => fixed(n, Number.isInteger(n) ? 0 : 1);
  say(
    made.rule,
    `Automatic rollback to ${budget.target_cluster}: if, of at least ${count(budget.min_requests)} requests in ${count(budget.window_ms / 1000)} s, the error rate on other clusters is more than ${digits(budget.max_error_percent)} percentage points higher` +
      (limited ? `, or more than ${digits(budget.max_difference_percent)} % of the shadow reads differ` : ''),
  );
  say(made.errorsLabel, `Error rate of other clusters beyond that of ${budget.target_cluster}`);
  made.errors.show(seen.errors, budget.max_error_percent, `${digits(seen.errors)} of ${digits(budget.max_error_percent)} %${belowMinimum(budget.other_requests)}`);
  show(made.different, limited);
  if (limited) made.differences.show(seen.differences, budget.max_difference_percent, `${digits(seen.differences)} of ${digits(budget.max_difference_percent)} %${belowMinimum(budget.compared)}`);
}

const CHANGED_BY = { admin: 'set by hand', rollback: 'rolled back' };

function update(made, row, traffic, names) {
  const weighted = shares(row.weights, names);
  made.weights.show(weighted, split(weighted));
  const counted = lately.requests(row.policy);
  const all = Object.values(counted ?? {}).reduce((sum, n) => sum + n, 0);
  const real = all > 0 ? shares(counted, names) : new Map();
  say(made.since, lately.seconds > 0 ? `Last ${Math.round(lately.seconds)} s` : 'Recent');
  made.seen.show(real, all > 0 ? `${split(real)} of ${many(all, 'request')}` : 'no requests');
  const details = [row.split_by === 'request' ? 'each request independently' : `sticky by ${row.split_by}`];
  if (row.canary_header) details.push(`header ${row.canary_header} selects the cluster`);
  if (row.shadow_target) details.push(`shadow reads on ${row.shadow_target}`);
  if (row.dual_write_target) details.push(`dual writes to ${row.dual_write_target}`);
  say(made.details, details.join(' · '));
  const shift = shiftOf(traffic, row);
  show(made.badge, shift !== null);
  show(made.instead, shift !== null);
  if (shift) {
    const why = shift.reason && shift.reason !== 'requested by an operator' ? `: ${shift.reason}` : '';
    say(made.badge, CHANGED_BY[shift.changed_by] ?? shift.changed_by);
    say(made.instead, `Instead of the file’s ${split(shares(row.configured_weights ?? {}, names))}, since ${moment(shift.since)}${why}`);
  }
  made.button.disabled = names.length < 2;
  showBudget(made, row.rollback);
}

export function showTraffic({ stats, traffic, at }, change) {
  lately.take(traffic, at, stats.gateway.started_at);
  const names = traffic.clusters.map((cluster) => cluster.name);
  const several = names.length > 1;
  showClusters(traffic);
  show(by('traffic-parts'), several);
  show(by('traffic-card'), several);
  const [whole, ...named] = traffic.policies;
  named.sort((one, other) => Number(shiftOf(traffic, other) !== null) - Number(shiftOf(traffic, one) !== null) || one.policy.localeCompare(other.policy, 'en', { numeric: true }));
  const shown = [whole, ...named].slice(0, MOST);
  follow(by('splits'), several ? shown : [], (row) => row.policy, (row) => create(row, change), (made, row) => update(made, row, traffic, names));
  const left = traffic.policies.length - shown.length;
  show(by('splits-left'), several && left > 0);
  say(by('splits-left'), `${count(left)} more ${left === 1 ? 'policy is' : 'policies are'} not shown; see /traffic.`);
  say(by('traffic-totals'), several ? `Since the start: ${many(traffic.failovers, 'read failover')}, ${many(traffic.rollbacks, 'rollback')}` : '');
  by('cut-over').disabled = !several;
  by('by-the-file').disabled = !several || traffic.overrides.length === 0;
}
