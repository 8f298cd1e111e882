// Drains the gateway after a dialog.

import { by, pairs, say } from './dom.js';
import { count } from './format.js';

export class Drain {
  #dialog = by('drain-dialog');
  #button = by('drain');
  #yes = by('drain-yes');

  constructor(onDrained) {
    this.onDrained = onDrained;
    this.#button.addEventListener('click', () => {
      say(by('drain-trouble'), '');
      this.#dialog.showModal();
    });
    by('drain-no').addEventListener('click', () => this.#dialog.close());
    this.#yes.addEventListener('click', () => this.#drain());
  }

  show({ stats, config }) {
    const { draining } = stats.gateway;
    this.#button.disabled = draining;
    say(this.#button, draining ? 'Draining' : 'Drain…');
    say(by('drain-delay'), config.admin['drain-delay']);
    say(by('drain-timeout'), config.admin['drain-timeout']);
    pairs(by('drain-now'), [
      stats.clusters.length > 1 ? ['Clusters', stats.clusters.join(', ')] : ['Cluster', stats.cluster.name || 'no response so far'],
      ['REST address', config.http.listen],
      ['Process id', String(stats.gateway.pid)],
      ['In flight now', `${count(stats.in_flight.requests + stats.proxy.in_flight)} requests, ${count(stats.in_flight.connections)} connections`],
    ]);
  }

  /** Disables the button while the gateway does not answer. */
  silent() {
    this.#button.disabled = true;
  }

  async #drain() {
    this.#yes.disabled = true;
    try {
      const answer = await fetch('../drain', { method: 'POST', headers: { 'X-Weir-Admin-Page': 'drain' } });
      if (answer.status === 202) {
        this.#dialog.close();
        this.onDrained();
      } else {
        say(by('drain-trouble'), `Not drained: ${answer.status}, ${await answer.text()}`);
      }
    } catch {
      say(by('drain-trouble'), 'Not drained: the gateway does not answer.');
    } finally {
      this.#yes.disabled = false;
    }
  }
}
