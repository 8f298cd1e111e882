// Savings by feature since the start.

import { by, follow, make, say, show } from './dom.js';
import { bytes, count } from './format.js';
import { sum } from './history.js';

function savings({ stats, routing }) {
  const profiles = Object.values(stats.trimming);
  const of = (name) => sum(profiles.map((profile) => profile[name]));
  const pruning = stats.time_pruning;
  const { bulk, coalescing, sampling } = stats;
  const hedges = routing.hedging.outcomes;
  const again = sum(Object.values(bulk.retries));
  const retried = sum(Object.entries(routing.hedging.retries).map(([why, n]) => (why === 'budget-exhausted' ? 0 : n)));
  return [
    { name: 'Trimming', amount: of('saved_bytes'), shown: bytes(of('saved_bytes')), what: 'not sent', note: `${count(of('responses'))} responses, ${count(of('skipped_fetches'))} without a fetch` },
    { name: 'Pruning', amount: pruning.skipped_shards, what: 'shards skipped', note: `${count(pruning.searches.pruned)} searches; time ranges of ${count(pruning.known_indices)} indices known` },
    { name: 'Coalescing', amount: coalescing.saved_searches, what: 'searches not run', note: `${count(coalescing.leaders)} searches answered others too` },
    { name: 'Sampling', amount: sampling.skipped_shards, what: 'shards skipped', note: `${count(sampling.searches)} estimates from ${count(sampling.queried_shards)} shards` },
    { name: 'Merged bulks', amount: Math.max(0, bulk.merged_shard_requests - bulk.merge_calls), what: 'calls not sent', note: `${count(bulk.merged_shard_requests)} shard requests in ${count(bulk.merge_calls)} calls` },
    { name: 'Single-shard bulks', amount: bulk.single_shard_bulks, what: 'bulks', note: `${count(bulk.single_shard_documents)} documents` },
    { name: 'Streaming bulks', amount: bulk.streamed_bulks, what: 'bulks not buffered', note: `in ${count(bulk.streamed_sections)} sections` },
    { name: 'Hedged requests', amount: hedges.won ?? 0, what: 'won', note: `${count(sum(Object.values(hedges)))} sent` },
    { name: 'Retries', amount: retried + again, what: 'retries', note: `${count(retried)} reads on another copy, ${count(again)} writes after a backoff` },
  ];
}

export function showSavings(figures) {
  const rows = savings(figures).filter((one) => one.amount > 0);
  show(by('savings-part'), rows.length > 0);
  follow(
    by('savings'),
    rows,
    (one) => one.name,
    (one) => {
      const amount = make('span', { class: 'value' });
      const note = make('span', { class: 'note' });
      const node = make('li', { class: 'tile' }, make('span', { class: 'label' }, one.name), make('span', { class: 'big' }, amount, make('span', { class: 'unit' }, one.what)), note);
      return { node, amount, note };
    },
    (made, one) => {
      say(made.amount, one.shown ?? count(one.amount));
      say(made.note, one.note);
    },
  );
}
