// The cluster that the page shows, kept in the address's fragment, so that a reload or a link shows the same.

import { by, follow, make, say, show } from './dom.js';

const KEY = '#cluster=';

function named() {
  if (!location.hash.startsWith(KEY)) return '';
  try {
    return decodeURIComponent(location.hash.slice(KEY.length));
  } catch {
    return '';
  }
}

export class Picker {
  #select = by('cluster-of');
  #asked = named();
  #unknown = '';

  constructor(onChosen) {
    this.#select.addEventListener('change', () => {
      location.hash = KEY + encodeURIComponent(this.#select.value);
    });
    addEventListener('hashchange', () => {
      if (location.hash !== '' && !location.hash.startsWith(KEY)) {
        // a place in the page: the choice stays
        if (this.#asked) history.replaceState(null, '', KEY + encodeURIComponent(this.#asked));
        return;
      }
      this.#asked = named();
      this.#unknown = '';
      onChosen();
    });
  }

  /** The cluster that is asked about; empty for the first one. */
  get asked() {
    return this.#asked;
  }

  /** The gateway knows no cluster of the name that was asked for: the first one is shown. */
  forget() {
    this.#unknown = this.#asked;
    this.#asked = '';
  }

  show({ stats }) {
    const several = stats.clusters.length > 1;
    show(by('cluster-choice'), several);
    follow(this.#select, stats.clusters, (name) => name, (name) => ({ node: make('option', { value: name }, name) }), () => {});
    // what is being chosen with the keyboard is not changed back under it
    if (!this.#asked || this.#asked === stats.selected_cluster) this.#select.value = stats.selected_cluster;
    show(by('cluster-unknown'), this.#unknown !== '');
    say(by('cluster-unknown'), this.#unknown ? `No cluster is called ${this.#unknown}: ${stats.selected_cluster} is shown.` : '');
    for (const place of document.querySelectorAll('[data-of-cluster]')) say(place, several ? ` of ${stats.selected_cluster}` : '');
  }
}
