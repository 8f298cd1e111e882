// Shadow reads and dual writes.

import { by, follow, make, say, set, show } from './dom.js';
import { bytes, count, fixed, millis, words } from './format.js';
import { moment } from './traffic.js';

const MOST_DIFFERENCES = 32;
const MOST_OF_ONE = 9;
const MOST_LETTERS = 300;

const VERDICTS = ['same', 'similar', 'different', 'not-comparable'];
const QUANTILES = ['p50', 'p90', 'p99', 'max'];

const cut = (text) => (String(text).length > MOST_LETTERS ? `${String(text).slice(0, MOST_LETTERS)}…` : String(text));
const entries = (counts) => Object.entries(counts ?? {});

/** A list of counts by name; the text `none` if there are none. */
function counts(list, of, none, title = words) {
  const rows = entries(of);
  follow(
    by(list),
    rows.length > 0 ? rows : [['', null]],
    ([name]) => name,
    ([name]) => {
      const amount = make('b');
      return { node: make('li', {}, make('span', {}, name ? title(name) : none), amount), amount };
    },
    (made, [, n]) => say(made.amount, n === null ? '' : count(n)),
  );
}

function showVerdicts(verdicts) {
  const rows = entries(verdicts);
  show(by('verdicts-empty'), rows.length === 0);
  follow(
    by('verdicts'),
    rows,
    ([action]) => action,
    ([action]) => {
      const cells = VERDICTS.map(() => make('td', { class: 'n' }));
      return { node: make('tr', {}, make('th', { scope: 'row' }, action), ...cells), cells };
    },
    (made, [, of]) =>
      VERDICTS.forEach((verdict, i) => {
        say(made.cells[i], count(of[verdict] ?? 0));
        set(made.cells[i], 'data-tone', verdict === 'different' && of[verdict] > 0 ? 'warn' : 'none');
      }),
  );
}

function showLatencies(of) {
  follow(
    by('shadow-latency'),
    [
      ['Primary cluster', of.primary_ms],
      ['Shadow cluster', of.shadow_ms],
    ],
    ([name]) => name,
    ([name]) => {
      const cells = QUANTILES.map(() => make('td', { class: 'n' }));
      return { node: make('tr', {}, make('th', { scope: 'row' }, name), ...cells), cells };
    },
    (made, [, times]) => QUANTILES.forEach((quantile, i) => say(made.cells[i], millis(times?.[quantile]))),
  );
}

/** One pair of responses that differ; it never changes. */
function difference(one) {
  const found = (one.differences ?? []).slice(0, MOST_OF_ONE).map((what) =>
    make(
      'li',
      {},
      make('span', { class: 'badge', 'data-tone': 'warn' }, words(String(what.kind ?? 'difference'))),
      ' ',
      make('code', {}, cut(what.path ?? '')),
      make('div', { class: 'sides' }, make('span', { class: 'label' }, one.primary ?? 'primary'), make('code', {}, cut(what.primary ?? '–')), make('span', { class: 'label' }, one.shadow ?? 'shadow'), make('code', {}, cut(what.shadow ?? '–'))),
    ),
  );
  const overlap = Number.isFinite(one.rbo) ? [make('p', { class: 'note' }, `rank-biased overlap ${fixed(one.rbo, 3)}`)] : [];
  return {
    node: make(
      'tr',
      {},
      make('td', { 'data-label': 'Time' }, make('time', { datetime: one.at }, moment(one.at))),
      make('th', { scope: 'row' }, make('code', { class: 'line' }, cut(one.request_line ?? ''))),
      make('td', { 'data-label': 'Difference', class: 'found' }, make('ul', {}, ...found), ...overlap),
    ),
  };
}

/** Stable keys of rows while newer rows come first; numbers equal rows from the oldest on. */
function keyed(rows) {
  const seen = new Map();
  return [...rows].reverse().map((row) => {
    const name = `${row.at} ${row.request_line}`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return { key: `${name} ${seen.get(name)}`, row };
  }).reverse();
}

export function showShadow({ traffic }) {
  const { shadow } = traffic;
  const asked = shadow && (traffic.policies.some((row) => row.shadow_target) || shadow.compared > 0 || entries(shadow.verdicts).length > 0);
  show(by('shadow'), Boolean(asked));
  if (!asked) return;
  const lately = shadow.recent ?? {};
  say(by('shadow-now'), [
    `${count(shadow.compared)} compared, ${count(shadow.differing)} different`,
    ...(shadow.in_flight === undefined ? [] : [`${count(shadow.in_flight)} in flight`]),
    ...(shadow.memory_bytes === undefined ? [] : [`${bytes(shadow.memory_bytes)} held`]),
  ].join(' · '));
  showVerdicts(shadow.verdicts);
  say(
    by('shadow-overlap'),
    lately.compared_rankings > 0
      ? `Rank-biased overlap in the last minutes: mean ${fixed(lately.rbo_mean, 3)}, min ${fixed(lately.rbo_min, 3)}, over ${count(lately.compared_rankings)} rankings; max score difference ${fixed(lately.max_score_difference ?? NaN, 3)}`
      : 'No rankings were compared in the last minutes',
  );
  showLatencies(lately);
  counts('shadow-kinds', shadow.differences_by_kind, 'none');
  counts('shadow-shed', shadow.shed_requests, 'none');
  counts('shadow-incomparable', shadow.incomparable, 'none');
  const newest = (shadow.newest_differences ?? []).slice(0, MOST_DIFFERENCES);
  show(by('differences-empty'), newest.length === 0);
  show(by('differences-table'), newest.length > 0);
  follow(by('differences'), keyed(newest), (one) => one.key, (one) => difference(one.row), () => {});
}

const OUTCOMES = [
  ['written', 'Written'],
  ['superseded', 'Superseded'],
  ['failed', 'Failed', true],
  ['timeout', 'Timed out', true],
  ['unreachable', 'Unreachable', true],
  ['unknown', 'Unknown', true],
  ['not-replicated', 'Not replicated', true],
];

/** Counts of dual writes by target cluster. */
function targets(dual) {
  return Object.entries(dual ?? {}).map(([to, row]) => ({
    to,
    of: (name) => row[name.replaceAll('-', '_')] ?? 0,
    failures: row.failures ?? {},
    logEntries: row.log_entries ?? 0,
    logFailures: row.log_failures ?? 0,
  }));
}

/** The dual writes of `/traffic`, or of `/stats`. */
export const dualOf = ({ traffic, stats }) => traffic.dual_writes ?? stats?.dual_writes;

/** How many entries the repair log lost. */
export const logFailures = (dual) => targets(dual).reduce((all, one) => all + one.logFailures, 0);

export function showDual(figures) {
  const { traffic } = figures;
  const dual = dualOf(figures);
  const rows = targets(dual);
  const asked = dual && (traffic.policies.some((row) => row.dual_write_target) || rows.length > 0);
  show(by('dual'), Boolean(asked));
  if (!asked) return;
  const lost = logFailures(dual);
  show(by('dual-alarm'), lost > 0);
  say(by('dual-alarm'), lost > 0 ? `The repair log could not be written: ${count(lost)} ${lost === 1 ? 'entry is' : 'entries are'} lost, and a repair will miss ${lost === 1 ? 'it' : 'them'}. The gateway’s log has the reason.` : '');
  show(by('dual-empty'), rows.length === 0);
  show(by('dual-table'), rows.length > 0);
  follow(
    by('dual-targets'),
    rows,
    (row) => row.to,
    (row) => {
      const cells = [...OUTCOMES.map(([, label]) => label), 'Logged for repair', 'Lost log entries'].map((label) => make('td', { class: 'n', 'data-label': label }));
      return { node: make('tr', {}, make('th', { scope: 'row' }, row.to), ...cells), cells };
    },
    (made, row) => {
      OUTCOMES.forEach(([name, , bad], i) => {
        say(made.cells[i], count(row.of(name)));
        set(made.cells[i], 'data-tone', bad && row.of(name) > 0 ? 'warn' : 'none');
      });
      say(made.cells[OUTCOMES.length], count(row.logEntries));
      say(made.cells[OUTCOMES.length + 1], count(row.logFailures));
      set(made.cells[OUTCOMES.length + 1], 'data-tone', row.logFailures > 0 ? 'warn' : 'none');
    },
  );
  const logged = rows.reduce((all, row) => all + row.logEntries, 0);
  say(by('dual-repair'), logged > 0 ? `${count(logged)} entries of the repair log name writes that the target cluster may lack; weir repair replays them.` : 'This process has written no repair log entry.');
  const failures = Object.assign({}, ...rows.map((row) => Object.fromEntries(entries(row.failures).map(([type, n]) => [rows.length > 1 ? `${row.to}: ${type}` : type, n]))));
  counts('dual-failures', failures, 'none', (type) => type);
}
