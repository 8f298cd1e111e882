// Polls the gateway's figures.

const PAUSE_MS = 2000;
const HIDDEN_PAUSE_MS = 10000;
const TIMEOUT_MS = 5000;
const CONFIG_EVERY = 5;

async function ask(path) {
  const answer = await fetch(`../${path}`, {
    cache: 'no-store',
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!answer.ok && path !== 'readyz') throw Object.assign(new Error(`${path}: ${answer.status}`), { status: answer.status });
  return answer.json();
}

const UNKNOWN = 400;

/** Polls until it is paused. Calls `onFigures` after each success, `onSilence` after each failure; `picker` has the cluster, `past` what to ask of the last hour. */
export class Poller {
  #timer = 0;
  #turn = 0;
  #config = null;
  #paused = false;
  #underWay = false;

  constructor(picker, past, onFigures, onSilence) {
    this.picker = picker;
    this.past = past;
    this.onFigures = onFigures;
    this.onSilence = onSilence;
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.soon();
    });
  }

  get paused() {
    return this.#paused;
  }

  pause(paused) {
    this.#paused = paused;
    if (!paused) this.soon();
  }

  /** Polls now. */
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#round(), 0);
  }

  async #round() {
    if (this.#paused || this.#underWay) return;
    this.#underWay = true;
    const began = performance.now();
    const cluster = this.picker.asked;
    const of = (path) => (cluster ? `${path}${path.includes('?') ? '&' : '?'}cluster=${encodeURIComponent(cluster)}` : path);
    let again = false;
    try {
      const [stats, ready, traffic, routing, refused, past] = await Promise.all([
        ask(of('stats')),
        ask('readyz'),
        ask('traffic'),
        ask(of('routing')),
        ask(of('routing/explain?rejections=20')),
        ask(this.past.path),
      ]);
      if (!this.#config || this.#turn % CONFIG_EVERY === 0) this.#config = await ask('config');
      this.#turn++;
      again = cluster !== this.picker.asked; // the user has selected another cluster meanwhile
      if (!this.#paused && !again) this.onFigures({ stats, ready, traffic, routing, refused, past, config: this.#config, at: began });
    } catch (silence) {
      this.#config = null;
      again = cluster !== '' && silence.status === UNKNOWN;
      if (again && cluster === this.picker.asked) this.picker.forget();
      if (!this.#paused && !again) this.onSilence(silence);
    } finally {
      this.#underWay = false;
      const pause = document.hidden ? HIDDEN_PAUSE_MS : PAUSE_MS;
      const spent = performance.now() - began;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#round(), again ? 0 : Math.max(200, pause - spent));
    }
  }
}
