// Connects the poller to the parts of the page.

import { showActions } from './actions.js';
import { Advice } from './advice.js';
import { Change } from './change.js';
import { showCluster, showConfig } from './cluster.js';
import { by, say, set } from './dom.js';
import { Drain } from './drain.js';
import { Heat } from './heat.js';
import { History } from './history.js';
import { showMemory } from './memory.js';
import { drainBy, showNodes } from './nodes.js';
import { Past } from './past.js';
import { Picker } from './picker.js';
import { Poller } from './poll.js';
import { showQueues } from './queues.js';
import { showReasons, showRefused } from './refusals.js';
import { showDual, showShadow } from './repeats.js';
import { showSavings } from './savings.js';
import { State } from './state.js';
import { showTiles } from './tiles.js';
import { showTraffic } from './traffic.js';
import { showUsage } from './usage.js';
import { Weights } from './weights.js';

const history = new History();
const heat = new Heat(history);
const state = new State();
const picker = new Picker(() => poller.soon());
const past = new Past();
const poller = new Poller(picker, past, onFigures, onSilence);
const change = new Change(() => poller.soon());
const drain = new Drain(() => poller.soon());
const weights = new Weights(() => poller.soon());
const showing = {
  picker: (figures) => picker.show(figures),
  traffic: (figures) => showTraffic(figures, change),
  change: (figures) => change.show(figures),
  shadow: showShadow,
  dual: showDual,
  past: (figures) => past.show(figures),
  actions: showActions,
  usage: showUsage,
  nodes: showNodes,
  queues: showQueues,
  reasons: showReasons,
  refused: showRefused,
  memory: showMemory,
  savings: showSavings,
  cluster: showCluster,
  config: showConfig,
  tiles: showTiles,
  heat: () => heat.show(),
  drain: (figures) => drain.show(figures),
  weights: (figures) => weights.show(figures),
};

function onFigures(figures) {
  if (past.take(figures.past, figures.stats.gateway.started_at)) history.seed(figures.past, figures.at, figures.stats);
  history.take(figures.stats, figures.at);
  state.heard(figures);
  for (const [part, show] of Object.entries(showing)) {
    try {
      show(figures, history);
    } catch (defect) {
      console.error(`can't show ${part}`, defect); // the other parts still update
    }
  }
}

function onSilence(why) {
  state.silent(why);
  drain.silent();
  change.silent();
}

const pause = by('pause');
pause.addEventListener('click', () => {
  poller.pause(!poller.paused);
  set(pause, 'aria-pressed', poller.paused);
  say(pause, poller.paused ? 'Resume' : 'Pause');
  state.paused(poller.paused);
});

new Advice(picker);
drainBy(weights);
showTiles(null, history);
poller.soon();
