// Drains a node for all gateways, or takes it back, after a dialog.

import { by, say, set, show } from './dom.js';

const REDUCED = ['drained', 'reduced'];

export class Weights {
  #dialog = by('weight-dialog');
  #yes = by('weight-yes');
  #node = null;
  #cluster = '';
  #restores = false;

  constructor(onChanged) {
    this.onChanged = onChanged;
    by('weight-no').addEventListener('click', () => this.#dialog.close());
    this.#yes.addEventListener('click', () => this.#change());
  }

  show({ stats }) {
    this.#cluster = stats.selected_cluster;
  }

  /** Says what the button of a node does. */
  static label(node) {
    return REDUCED.includes(node.health) ? 'Restore…' : 'Drain…';
  }

  /** Asks for confirmation. */
  open(node) {
    this.#node = node.name || node.node;
    this.#restores = REDUCED.includes(node.health);
    say(by('weight-title'), `${this.#restores ? 'Restore' : 'Drain'} node ${this.#node}?`);
    show(by('weight-drain-words'), !this.#restores);
    show(by('weight-restore-words'), this.#restores);
    say(by('weight-trouble'), '');
    say(this.#yes, this.#restores ? 'Restore' : 'Drain');
    show(this.#yes, true);
    say(by('weight-no'), 'Change nothing');
    set(this.#yes, 'class', this.#restores ? 'solid' : 'danger solid');
    this.#dialog.showModal();
  }

  async #change() {
    this.#yes.disabled = true;
    const action = this.#restores ? 'restore' : 'drain';
    try {
      const path = `../nodes/${encodeURIComponent(this.#node)}/${action}?cluster=${encodeURIComponent(this.#cluster)}`;
      const answer = await fetch(path, { method: 'POST', headers: { 'X-Weir-Admin-Page': 'nodes' } });
      if (answer.status !== 200) {
        say(by('weight-trouble'), `Not changed: ${answer.status}, ${await answer.text()}`);
        return;
      }
      this.onChanged();
      const { only_copies: only } = await answer.json();
      if (this.#restores || !only?.count) {
        this.#dialog.close();
      } else {
        const some = only.examples.join(', ');
        say(by('weight-trouble'), `Drained, but for ${only.count} shards with no other copy: ${some}${only.examples.length < only.count ? ', …' : ''}`);
        show(this.#yes, false);
        say(by('weight-no'), 'Close');
      }
    } catch {
      say(by('weight-trouble'), 'It is not known whether the node was changed: the gateway does not answer.');
    } finally {
      this.#yes.disabled = false;
    }
  }
}
