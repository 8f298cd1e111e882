// The selected cluster. The URL fragment keeps it, so that reloads and links show the same cluster.

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
        // a link within the page: keep the selection
        if (this.#asked) history.replaceState(null, '', KEY + encodeURIComponent(this.#asked));
        return;
      }
      this.#asked = named();
      this.#unknown = '';
      onChosen();
    });
  }

  /** The selected cluster; empty for the first one. */
  get asked() {
    return this.#asked;
  }

  /** The gateway has no cluster of the selected name: selects the first one. */
  forget() {
    this.#unknown = this.#asked;
    this.#asked = '';
  }

  show({ stats }) {
    const several = stats.clusters.length > 1;
    show(by('cluster-choice'), several);
    follow(this.#select, stats.clusters, (name) => name, (name) => ({ node: make('option', { value: name }, name) }), () => {});
    // do not overwrite a selection that the user has just made
    if (!this.#asked || this.#asked === stats.selected_cluster) this.#select.value = stats.selected_cluster;
    show(by('cluster-unknown'), this.#unknown !== '');
    say(by('cluster-unknown'), this.#unknown ? `No cluster is called ${this.#unknown}: ${stats.selected_cluster} is shown.` : '');
    for (const place of document.querySelectorAll('[data-of-cluster]')) say(place, several ? ` of ${stats.selected_cluster}` : '');
  }
}
