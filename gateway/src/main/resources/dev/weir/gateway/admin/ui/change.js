// Moving traffic between clusters, with a question first that says what will come of it.

import { by, follow, make, say, show } from './dom.js';
import { part } from './format.js';
import { after, shares, shiftOf } from './shares.js';
import { split, titleOf } from './traffic.js';

const MOST = 24;
const MOST_WEIGHT = 1000000;

const HOLDS = 'It holds on this gateway only, from the next request on: until the traffic of the file changes, the file’s weights are asked for here, or the process is restarted. Other gateways keep theirs. What names its cluster, such as a scroll or a request with the canary header, goes there as before.';

async function why(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).error.reason;
  } catch {
    return text.slice(0, 500);
  }
}

/** The three questions, in one dialog. */
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

  /** Nothing can be asked of a gateway that does not answer. */
  silent() {
    by('cut-over').disabled = true;
    by('by-the-file').disabled = true;
    for (const button of by('splits').querySelectorAll('button')) button.disabled = true;
  }

  /** Asks for weights of a policy. */
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
    by('traffic-fields').replaceChildren(make('p', { class: 'note', id: 'weights-words' }, 'Weights count beside one another; 0 is no request.'), ...rows, sum);
    this.#ask({ shift: policy }, `Shift the weights of ${titleOf(policy).replace(/^./, (letter) => letter.toLowerCase())}`, policy === '' ? 'Requests without a policy of their own are split by these weights, and those whose policy splits as the whole gateway does.' : `Requests that go by the policy ${policy} are split by these weights.`, 'Shift', [...this.#fields.values()][0].input);
  }

  #cutOver() {
    const choice = make('select', { id: 'cut-over-to' }, ...this.#names.map((name) => make('option', { value: name }, name)));
    const [whole] = this.#traffic.policies;
    const now = shares(whole.weights, this.#names);
    choice.value = this.#names.find((name) => now.get(name) === 0) ?? this.#names.find((name) => now.get(name) < 1) ?? this.#names[0];
    choice.addEventListener('change', () => this.#explain());
    by('traffic-fields').replaceChildren(make('label', { class: 'choice', for: 'cut-over-to' }, 'To cluster ', choice));
    this.#ask({ cutOver: () => choice.value }, 'Cut over to one cluster', 'Every request goes to it, whichever its policy.', 'Cut over', choice);
  }

  #reset() {
    by('traffic-fields').replaceChildren();
    this.#ask({ reset: true }, 'Back to the weights of the file', 'All weights that were set by hand or by a roll-back are dropped.', 'Back to the file', by('traffic-no'));
  }

  get #names() {
    return this.#traffic.clusters.map((cluster) => cluster.name);
  }

  #ask(asked, title, words, yes, first) {
    this.#asked = asked;
    say(by('traffic-dialog-title'), title);
    say(by('traffic-dialog-what'), words);
    say(by('traffic-dialog-holds'), asked.reset ? 'It holds on this gateway only, from the next request on.' : HOLDS);
    say(by('traffic-trouble'), '');
    say(this.#yes, yes);
    this.#explain();
    this.#dialog.showModal();
    first.focus();
  }

  /** The weights that stand in the fields; null for what is no weight. */
  #weights() {
    const weights = {};
    for (const [name, { input }] of this.#fields) {
      const weight = input.value.trim() === '' && !input.validity.badInput ? 0 : Number(input.value);
      if (input.validity.badInput || !Number.isFinite(weight) || weight < 0 || weight > MOST_WEIGHT) return null;
      weights[name] = weight;
    }
    return Object.values(weights).some((weight) => weight > 0) ? weights : null;
  }

  /** The change as it stands in the dialog; null when it can't be made. */
  #wanted() {
    if (this.#asked.shift !== undefined) {
      const weights = this.#weights();
      return weights && { shift: this.#asked.shift, weights };
    }
    return this.#asked.reset ? this.#asked : { cutOver: this.#asked.cutOver() };
  }

  /** Says what will come of it, by what is in force now. */
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
    if (then && lines.length === 0) notes.push('No request goes elsewhere than now.');
    if (lines.length > MOST) notes.push(`And ${lines.length - MOST} more.`);
    if (kept.length > 0) notes.push(`Weights of their own stay in force: ${kept.slice(0, MOST).map((row) => row.policy).join(', ')}.`);
    say(by('traffic-notes'), notes.join(' '));
    const drawn = new Set((then ? [...then.values()] : []).flatMap((weights) => [...shares(weights, this.#names)].filter(([, share]) => share > 0).map(([name]) => name)));
    const lost = this.#traffic.clusters.filter((cluster) => !cluster.available && drawn.has(cluster.name));
    show(by('traffic-warning'), lost.length > 0);
    say(by('traffic-warning'), lost.map((cluster) => `${cluster.name} can’t be reached now: ${cluster.unavailability_reason}. Requests drawn to it fail, but for reads that another cluster of the weights or of the roll-back can answer.`).join(' '));
  }

  #sum(wanted) {
    const parts = wanted && shares(wanted.weights, this.#names);
    for (const [name, { share }] of this.#fields) say(share, parts ? part(parts.get(name)) : '–');
    const all = wanted ? Object.values(wanted.weights).reduce((sum, weight) => sum + weight, 0) : 0;
    const plain = Number(all.toFixed(6));
    say(by('weights-sum'), parts ? (plain === 100 ? 'Together 100 %.' : `Together ${plain}, which is 100 %.`) : `Weights are numbers from 0 to ${MOST_WEIGHT}, and one at least is over 0.`);
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
        if (wanted.reset) by('traffic-title').focus(); // its button has nothing to do any more
        this.onChanged();
      } else {
        say(by('traffic-trouble'), `Not changed: ${answer.status}, ${await why(answer)}`);
      }
    } catch {
      say(by('traffic-trouble'), 'It is not known whether it was changed: the gateway does not answer.');
    } finally {
      this.#yes.disabled = false;
    }
  }
}
