// Rejections: counts by reason, and the latest ones with the measured values.

import { by, follow, make, say, set, show } from './dom.js';
import { bytes, clock, count, rate, words } from './format.js';

export function showReasons(figures, history) {
  const newest = history.newest();
  const rows = [...history.before.refused].filter(([, all]) => all > 0).map(([why, all]) => ({ why, all, rate: newest?.refused.get(why) ?? 0 }));
  show(by('reasons-part'), rows.length > 0);
  const most = Math.max(1, ...rows.map((row) => row.all));
  follow(
    by('reasons'),
    rows,
    (row) => row.why,
    (row) => {
      const share = make('i');
      const cells = [make('td', { class: 'n' }), make('td', { class: 'n' })];
      return { node: make('tr', {}, make('th', { scope: 'row', class: 'share' }, share, make('span', {}, row.why)), ...cells), cells, share };
    },
    (made, row) => {
      say(made.cells[0], rate(row.rate));
      say(made.cells[1], count(row.all));
      made.share.style.width = `${(row.all / most) * 100}%`;
      set(made.node, 'data-idle', row.all === 0);
      set(made.node, 'data-tone', row.rate > 0 ? 'warn' : 'none');
    },
  );
}

const SHOWN_ELSEWHERE = new Set(['rejected_by', 'node', 'name', 'reason', 'breakdown', 'largest_increases']);

function value(why, name) {
  const shown = why[name];
  if (name.endsWith('_bytes')) return bytes(shown);
  return Array.isArray(shown) ? shown.join(', ') : String(shown);
}

/** One reason: its text, the measured values, the memory bill. */
function reason(why) {
  const measured = make('dl', { class: 'measured' });
  if (why.name) measured.append(make('div', {}, make('dt', {}, 'node'), make('dd', {}, why.name)));
  for (const name of Object.keys(why)) {
    if (!SHOWN_ELSEWHERE.has(name) && why[name] !== '') measured.append(make('div', {}, make('dt', {}, words(name)), make('dd', {}, value(why, name))));
  }
  const parts = [make('p', {}, why.reason), measured];
  for (const [name, title] of [['breakdown', 'Memory bill'], ['largest_increases', 'Largest increases']]) {
    if (why[name]?.length > 0) {
      parts.push(make('div', { class: 'bill' }, make('h4', {}, title), make('ul', {}, ...why[name].map((line) => make('li', {}, String(line))))));
    }
  }
  return make('div', { class: 'reason' }, ...parts);
}

function create(one) {
  const kinds = [...new Set(one.rejections.map((why) => why.reason_code ?? why.rejected_by))];
  const time = new Date(one.rejected_at);
  const summary = make(
    'summary',
    {},
    make('time', { datetime: one.rejected_at }, clock(time)),
    make('span', { class: 'badge', 'data-tone': 'warn' }, kinds.map(words).join(', ') || 'rejected'),
    make('code', { class: 'asked' }, one.request_line),
  );
  const who = [`request ${one.request_id}`, `tenant ${one.tenant}`];
  if (one.opaque_id) who.push(`X-Opaque-Id ${one.opaque_id}`);
  const more = one.omitted_rejections > 0 ? [make('p', { class: 'note' }, `${one.omitted_rejections} more parts of it were rejected`)] : [];
  return { node: make('details', {}, summary, make('p', { class: 'note' }, who.join(' · ')), ...one.rejections.map(reason), ...more) };
}

export function showRefused({ refused }) {
  const rows = refused.rejections;
  show(by('refused-part'), rows.length > 0);
  const box = by('refused-box');
  if (box.querySelector('details[open]')) {
    say(by('refused-kept'), 'paused while an entry is open');
    return; // do not move the entry that the user reads
  }
  show(by('refused-empty'), rows.length === 0);
  say(by('refused-kept'), refused.recorded > 0 ? `${rows.length} of ${count(refused.recorded)}` : ' ');
  follow(by('refused'), rows, (one) => `${one.request_id}:${one.rejections.length}`, create, () => {});
}
