package dev.weir.node.reduction;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.opensearch.search.aggregations.InternalAggregations;

/** Sends shards' aggregations in random waves, and merges each wave as a node does if it can. */
public final class MergedWaves {
  private final Random random;
  private int merged;
  private int whole;

  /** Counts from zero. */
  public MergedWaves(Random random) {
    this.random = random;
  }

  /** Returns the results of a search's shards as a gateway gets them. */
  public List<InternalAggregations> send(List<InternalAggregations> shards) {
    List<InternalAggregations> sent =
        new ArrayList<>(shards.stream().map(RandomShards::sent).toList());
    int waves = 1 + random.nextInt(4);
    int[] waveOf = random.ints(shards.size(), 0, waves).toArray();
    AggregationMerge merge = new AggregationMerge(RandomShards.WRITEABLES);
    for (int wave = 0; wave < waves; wave++) {
      List<Integer> members = new ArrayList<>();
      for (int shard = 0; shard < waveOf.length; shard++) {
        if (waveOf[shard] == wave) {
          members.add(shard);
        }
      }
      List<InternalAggregations> parts = members.stream().map(sent::get).toList();
      InternalAggregations all =
          members.size() > 1 && AggregationMerge.canMerge(parts) ? merge.merge(parts) : null;
      if (all == null) {
        whole += members.size() < 2 ? 0 : 1;
        members.forEach(shard -> sent.set(shard, RandomShards.sent(shards.get(shard))));
        continue;
      }
      merged++;
      sent.set(members.getFirst(), all);
      members.stream().skip(1).forEach(shard -> sent.set(shard, InternalAggregations.EMPTY));
    }
    return sent;
  }

  /** Returns the number of waves with one result. */
  public int merged() {
    return merged;
  }

  /** Returns the number of waves of several shards that did not merge. */
  public int whole() {
    return whole;
  }
}
