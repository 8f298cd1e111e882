package dev.weir.gateway.actions;

import dev.weir.model.ShardNotes.Outcome;
import dev.weir.model.ShardNotes.Why;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Copies that were asked, in columns, in order. Not safe on several threads. */
final class AskedCopies {
  private static final int MOST = 128;

  private int count;
  private int leftOut;
  private int[] shards = new int[8];
  private String[] phases = new String[8];
  private String[] nodes = new String[8];
  private Why[] whys = new Why[8];
  private @Nullable Outcome[] outcomes = new Outcome[8];
  private long[] askedNanos = new long[8];
  private long[] overNanos = new long[8];

  void clear() {
    count = 0;
    leftOut = 0;
  }

  int count() {
    return count;
  }

  /** How many more there were. */
  int leftOut() {
    return leftOut;
  }

  void add(int shard, String phase, String nodeId, Why why, long nowNanos) {
    if (count == MOST) {
      leftOut++;
      return;
    }
    if (count == shards.length) {
      int more = Math.min(MOST, 4 * count);
      shards = Arrays.copyOf(shards, more);
      phases = Arrays.copyOf(phases, more);
      nodes = Arrays.copyOf(nodes, more);
      whys = Arrays.copyOf(whys, more);
      outcomes = Arrays.copyOf(outcomes, more);
      askedNanos = Arrays.copyOf(askedNanos, more);
      overNanos = Arrays.copyOf(overNanos, more);
    }
    shards[count] = shard;
    phases[count] = phase;
    nodes[count] = nodeId;
    whys[count] = why;
    outcomes[count] = null;
    askedNanos[count] = nowNanos;
    count++;
  }

  /** The newest that is under way at this shard and node is over. */
  void over(int shard, String nodeId, Outcome outcome, long nowNanos) {
    for (int i = count - 1; i >= 0; i--) {
      if (shards[i] == shard && outcomes[i] == null && nodes[i].equals(nodeId)) {
        outcomes[i] = outcome;
        overNanos[i] = nowNanos;
        return;
      }
    }
  }

  int shard(int i) {
    return shards[i];
  }

  String phase(int i) {
    return phases[i];
  }

  String node(int i) {
    return nodes[i];
  }

  Why why(int i) {
    return whys[i];
  }

  /** What became of it; null while it is under way. */
  @Nullable Outcome outcome(int i) {
    return outcomes[i];
  }

  long askedNanos(int i) {
    return askedNanos[i];
  }

  long overNanos(int i) {
    return overNanos[i];
  }
}
