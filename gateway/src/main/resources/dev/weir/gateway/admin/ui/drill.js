// The requests behind a figure: a dialog with a list, from the gateway's page /requests.

import { by, make, say, show } from './dom.js';
import { bytes, clock, millis, words } from './format.js';

const TITLES = { slow: 'The slowest requests', rejected: 'Rejected requests', failed: 'Failed requests', 'passed-through': 'Requests that passed through', newest: 'The newest requests' };
const NOTES = {
  slow: 'The slowest four of every five seconds of the last hour.',
  rejected: 'The newest requests with the status 429 or 408.',
  failed: 'The newest requests with a status of 500 or more.',
  'passed-through': 'The newest requests that a node’s REST port answered, and why.',
  newest: 'The newest requests of each kind.',
};
const SIZE = 100;

function row(one) {
  const why = [];
  if (one.explanation) why.push(make('a', { href: `../${one.explanation}`, target: '_blank', rel: 'noopener' }, 'explanation'));
  if (one.pass_through_reason) why.push(make('span', { class: 'note' }, words(one.pass_through_reason)));
  const kind = one.path === 'coordinated' ? one.action : `${one.action} · ${one.path === 'passthrough' ? 'passed through' : 'answered by the gateway'}`;
  return make(
    'tr', {},
    make('th', { scope: 'row' }, make('time', { datetime: one.ended_at }, clock(new Date(one.ended_at)))),
    make('td', { class: 'n', 'data-label': 'Took' }, millis(one.took_ms)),
    make('td', { class: 'n', 'data-label': 'Status' }, String(one.status)),
    make('td', { 'data-label': 'Kind' }, kind),
    make('td', { class: 'asked-of', 'data-label': 'Request' }, make('code', {}, one.request_line)),
    make('td', { 'data-label': 'Tenant' }, one.tenant),
    make('td', { class: 'n', 'data-label': 'Response' }, bytes(one.response_bytes)),
    make('td', { 'data-label': 'Why' }, ...(why.length > 0 ? why : ['–'])),
  );
}

let opening = 0;

/** Opens the dialog: `{show: 'slow'}`, with `path` and `action` for one kind. */
export async function openRequests(query) {
  const dialog = by('requests-dialog');
  opening += 1;
  const mine = opening;
  const kind = query.action ? ` · ${query.action}${query.path === 'coordinated' ? '' : ` · ${query.path}`}` : '';
  say(by('requests-title'), `${TITLES[query.show]}${kind}`);
  say(by('requests-note'), NOTES[query.show]);
  say(by('requests-trouble'), '');
  by('requests-list').replaceChildren();
  show(by('requests-empty'), false);
  show(by('requests-table'), false);
  if (!dialog.open) dialog.showModal();
  try {
    const answer = await fetch(`../requests?${new URLSearchParams({ ...query, size: SIZE })}`, { cache: 'no-store' });
    if (!answer.ok) {
      const text = await answer.text();
      if (mine === opening) say(by('requests-trouble'), `No list: ${answer.status}, ${text}`);
      return;
    }
    const { requests } = await answer.json();
    if (mine !== opening) return; // another list was opened meanwhile
    by('requests-list').replaceChildren(...requests.map(row));
    show(by('requests-empty'), requests.length === 0);
    show(by('requests-table'), requests.length > 0);
  } catch {
    if (mine === opening) say(by('requests-trouble'), 'The gateway does not answer.');
  }
}

by('requests-close').addEventListener('click', () => by('requests-dialog').close());
