// Advice on the cluster: asked when the operator wants it, because it reads much of the cluster.

import { by, make, say, set, show } from './dom.js';

const TIMEOUT_MS = 120000;
const TONES = { problem: 'bad', advice: 'warn', hint: 'none' };

function describe(finding) {
  const summary = make(
    'summary',
    {},
    make('span', { class: 'badge', 'data-tone': TONES[finding.severity] ?? 'none' }, finding.severity),
    ' ',
    make('strong', {}, `${finding.check} `),
    make('code', { class: 'asked' }, finding.subject),
  );
  const texts = [finding.figure, finding.reason, finding.note].filter((text) => text !== '');
  const steps = finding.mend.map((step) => (step.in === 'call' ? step.text : `# ${step.in}\n${step.text}`));
  return make(
    'details',
    {},
    summary,
    ...texts.map((text) => make('p', { class: 'note' }, text)),
    make('pre', { class: 'problems' }, steps.join('\n')),
  );
}

/** The card "Advice"; `picker` has the cluster. */
export class Advice {
  #button = by('advise');

  constructor(picker) {
    this.picker = picker;
    this.#button.addEventListener('click', () => this.#ask());
  }

  async #ask() {
    const cluster = this.picker.asked;
    set(this.#button, 'aria-disabled', true);
    this.#button.disabled = true;
    say(by('advice-state'), 'Reading the cluster');
    try {
      const path = cluster ? `../advise?cluster=${encodeURIComponent(cluster)}` : '../advise';
      const answer = await fetch(path, { cache: 'no-store', headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const advice = await answer.json();
      if (!answer.ok) throw new Error(advice.error?.reason ?? `status ${answer.status}`);
      this.#show(advice);
    } catch (failure) {
      say(by('advice-state'), `No advice: ${failure.message}`);
    } finally {
      this.#button.disabled = false;
      set(this.#button, 'aria-disabled', false);
    }
  }

  #show(advice) {
    const missing = Object.entries(advice.not_run).map(([check, why]) => `not run: ${check}: ${why}`);
    const more = Object.entries(advice.omitted).map(([check, count]) => `${check}: ${count} more like these`);
    say(by('advice-state'), `${advice.checks} checks, ${advice.findings.length} findings`);
    by('advice-findings').replaceChildren(...advice.findings.map(describe));
    const rest = by('advice-rest');
    say(rest, [...more, ...missing].join('\n'));
    show(rest, more.length + missing.length > 0);
  }
}
