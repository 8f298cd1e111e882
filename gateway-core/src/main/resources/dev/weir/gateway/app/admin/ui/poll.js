// Asks the gateway for its figures again and again.

const PAUSE_MS = 2000;
const HIDDEN_PAUSE_MS = 10000;
const PATIENCE_MS = 5000;
const SELDOM = 5;

async function ask(path) {
  const answer = await fetch(`../${path}`, {
    cache: 'no-store',
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!answer.ok && path !== 'readyz') throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

/** Polls until it is paused. `onFigures` hears of each answer, `onSilence` of each failure. */
export class Poller {
  #timer = 0;
  #turn = 0;
  #config = null;
  #paused = false;
  #underWay = false;

  constructor(onFigures, onSilence) {
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

  /** Asks now. */
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#round(), 0);
  }

  async #round() {
    if (this.#paused || this.#underWay) return;
    this.#underWay = true;
    const began = performance.now();
    try {
      const [stats, ready, routing, refused] = await Promise.all([
        ask('stats'),
        ask('readyz'),
        ask('routing'),
        ask('routing/explain?refused=20'),
      ]);
      if (!this.#config || this.#turn % SELDOM === 0) this.#config = await ask('config');
      this.#turn++;
      if (!this.#paused) this.onFigures({ stats, ready, routing, refused, config: this.#config, at: began });
    } catch (silence) {
      this.#config = null;
      if (!this.#paused) this.onSilence(silence);
    } finally {
      this.#underWay = false;
      const pause = document.hidden ? HIDDEN_PAUSE_MS : PAUSE_MS;
      const spent = performance.now() - began;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#round(), Math.max(200, pause - spent));
    }
  }
}
