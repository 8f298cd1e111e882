// Moves traffic between clusters, after a dialog that shows the effect.

import { by, follow, make, say, show } from './dom.js';
import { part } from './format.js';
import { after, shares, shiftOf } from './shares.js';
import { split, titleOf } from './traffic.js';

const MOST = 24;
const MOST_WEIGHT = 1000000;

const HOLDS = 'This applies to requests on this gateway only, starting with the next one. It ends when the traffic section of the file changes, when you reset it, or when the process restarts. Requests that name their cluster, such as a scroll or a request with the canary header, still go there.';

async function why(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).error.reason;
  } catch {
    return text.slice(0, 500);
  }
}

/** One dialog for a shift, a cut over and a reset. */
export class Change {
  #dialog = by('traffic-dialog');
  #yes = by('traffic-yes');
  #traffic = null;
  #asked = null;
  #fields = new Map();

  constructor(onChanged) {
    this.onChanged = onChanged;
    by('cut-over').addEventListener('click', () => this.#cutOver());
    by('by-the-file').addEventListener('click', () => this.#reset());
    by('traffic-no').addEventListener('click', () => this.#dialog.close());
    this.#yes.addEventListener('click', () => this.#change());
    this.#dialog.addEventListener('close', () => {
      this.#asked = null;
      by('traffic-fields').replaceChildren();
      this.#fields.clear();
    });
  }

  show({ traffic }) {
    this.#traffic = traffic;
    this.#explain();
  }

  /** Disables the actions while the gateway does not answer. */
  silent() {
    by('cut-over').disabled = true;
    by('by-the-file').disabled = true;
    for (const button of by('splits').querySelectorAll('button')) button.disabled = true;
  }

  /** Opens the dialog for the weights of a policy. */
  shift(policy) {
    const row = this.#traffic.policies.find((one) => one.policy === policy);
    if (!row) return;
    const now = shares(row.weights, this.#names);
    const rows = this.#names.map((name, place) => {
      const input = make('input', { type: 'number', id: `weight-${place}`, min: 0, max: MOST_WEIGHT, step: 'any', inputmode: 'decimal', autocomplete: 'off', value: Number((now.get(name) * 100).toFixed(2)) });
      const share = make('output', { for: `weight-${place}` });
      input.addEventListener('input', () => this.#explain());
      this.#fields.set(name, { input, share });
      return make('div', { class: 'weight' }, make('label', { for: `weight-${place}` }, make('i', { class: 'swatch', 'data-place': place }), make('span', {}, name)), input, share);
    });
    const sum = make('output', { class: 'note', id: 'weights-sum' });
    by('traffic-fields').replaceChildren(make('p', { class: 'note', id: 'weights-words' }, 'A cluster gets its weight’s share of the sum; 0 means no requests.'), ...rows, sum);
    this.#ask({ shift: policy }, `Shift the weights of ${titleOf(policy).replace(/^./, (letter) => letter.toLowerCase())}`, policy === '' ? 'These weights split all requests without a named policy, and those of every policy with the same configured weights.' : `These weights split the requests of the policy ${policy}.`, 'Shift', [...this.#fields.values()][0].input);
  }

  #cutOver() {
    const choice = make('select', { id: 'cut-over-to' }, ...this.#names.map((name) => make('option', { value: name }, name)));
    const [whole] = this.#traffic.policies;
    const now = shares(whole.weights, this.#names);
    choice.value = this.#names.find((name) => now.get(name) === 0) ?? this.#names.find((name) => now.get(name) < 1) ?? this.#names[0];
    choice.addEventListener('change', () => this.#explain());
    by('traffic-fields').replaceChildren(make('label', { class: 'choice', for: 'cut-over-to' }, 'To cluster ', choice));
    this.#ask({ cutOver: () => choice.value }, 'Cut over to one cluster', 'Every request goes to this cluster, under every policy.', 'Cut over', choice);
  }

  #reset() {
    by('traffic-fields').replaceChildren();
    this.#ask({ reset: true }, 'Reset to the weights of the file', 'This removes all weights that an operator or a rollback set.', 'Reset', by('traffic-no'));
  }

  get #names() {
    return this.#traffic.clusters.map((cluster) => cluster.name);
  }

  #ask(asked, title, words, yes, first) {
    this.#asked = asked;
    say(by('traffic-dialog-title'), title);
    say(by('traffic-dialog-what'), words);
    say(by('traffic-dialog-holds'), asked.reset ? 'This applies to requests on this gateway only, starting with the next one.' : HOLDS);
    say(by('traffic-trouble'), '');
    say(this.#yes, yes);
    this.#explain();
    this.#dialog.showModal();
    first.focus();
  }

  /** The weights in the fields; null if one is invalid or all are 0. */
  #weights() {
    const weights = {};
    for (const [name, { input }] of this.#fields) {
      const weight = input.value.trim() === '' && !input.validity.badInput ? 0 : Number(input.value);
      if (input.validity.badInput || !Number.isFinite(weight) || weight < 0 || weight > MOST_WEIGHT) return null;
      weights[name] = weight;
    }
    return Object.values(weights).some((weight) => weight > 0) ? weights : null;
  }

  /** The change in the dialog; null if it is invalid. */
  #wanted() {
    if (this.#asked.shift !== undefined) {
      const weights = this.#weights();
      return weights && { shift: this.#asked.shift, weights };
    }
    return this.#asked.reset ? this.#asked : { cutOver: this.#asked.cutOver() };
  }

  /** Shows the effect of the change on the weights in force. */
  #explain() {
    if (!this.#asked) return;
    const wanted = this.#wanted();
    this.#yes.disabled = wanted === null;
    if (this.#asked.shift !== undefined) this.#sum(wanted);
    const then = wanted && after(this.#traffic, wanted);
    const lines = (then ? this.#traffic.policies : []).flatMap((row) => {
      const was = split(shares(row.weights, this.#names));
      const will = split(shares(then.get(row.policy), this.#names));
      return was === will ? [] : [{ policy: row.policy, text: `${was} → ${will}` }];
    });
    follow(
      by('traffic-changes'),
      lines.slice(0, MOST),
      (line) => line.policy,
      (line) => {
        const value = make('dd');
        return { node: make('div', {}, make('dt', {}, titleOf(line.policy)), value), value };
      },
      (made, line) => say(made.value, line.text),
    );
    const stay = (then ? this.#traffic.policies : []).filter((row) => !lines.some((line) => line.policy === row.policy));
    const kept = stay.filter((row) => shiftOf(this.#traffic, row) !== null && this.#asked.shift === '' && row.policy !== '');
    const notes = [];
    if (then && lines.length === 0) notes.push('This changes no weights.');
    if (lines.length > MOST) notes.push(`${lines.length - MOST} more policies change.`);
    if (kept.length > 0) notes.push(`These policies keep their own overrides: ${kept.slice(0, MOST).map((row) => row.policy).join(', ')}.`);
    say(by('traffic-notes'), notes.join(' '));
    const drawn = new Set((then ? [...then.values()] : []).flatMap((weights) => [...shares(weights, this.#names)].filter(([, share]) => share > 0).map(([name]) => name)));
    const lost = this.#traffic.clusters.filter((cluster) => !cluster.available && drawn.has(cluster.name));
    show(by('traffic-warning'), lost.length > 0);
    say(by('traffic-warning'), lost.map((cluster) => `${cluster.name} is unavailable now: ${cluster.unavailability_reason}. Requests to it fail, except reads that another cluster of the weights or the rollback target can answer.`).join(' '));
  }

  #sum(wanted) {
    const parts = wanted && shares(wanted.weights, this.#names);
    for (const [name, { share }] of this.#fields) say(share, parts ? part(parts.get(name)) : '–');
    const all = wanted ? Object.values(wanted.weights).reduce((sum, weight) => sum + weight, 0) : 0;
    const plain = Number(all.toFixed(6));
    say(by('weights-sum'), parts ? (plain === 100 ? 'The sum is 100 %.' : `The sum is ${plain} (100 %).`) : `Enter numbers from 0 to ${MOST_WEIGHT}, at least one above 0.`);
  }

  async #change() {
    const wanted = this.#wanted();
    if (!wanted) return;
    const [path, query] = wanted.reset
      ? ['reset', {}]
      : wanted.cutOver !== undefined
        ? ['cutover', { to: wanted.cutOver }]
        : ['shift', { ...(wanted.shift === '' ? {} : { policy: wanted.shift }), ...wanted.weights }];
    this.#yes.disabled = true;
    try {
      const asked = new URLSearchParams(query).toString();
      const answer = await fetch(`../traffic/${path}${asked && '?'}${asked}`, { method: 'POST', headers: { 'X-Weir-Admin-Page': 'traffic' } });
      if (answer.ok) {
        this.#dialog.close();
        if (wanted.reset) by('traffic-title').focus(); // the button that had the focus is disabled now
        this.onChanged();
      } else {
        say(by('traffic-trouble'), `Not changed: ${answer.status}, ${await why(answer)}`);
      }
    } catch {
      say(by('traffic-trouble'), 'The gateway does not answer, so it is unknown whether the change was made.');
    } finally {
      this.#yes.disabled = false;
    }
  }
}
