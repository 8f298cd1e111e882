package dev.weir.gateway.actions.explain;

import dev.weir.model.ShardNotes.Outcome;
import dev.weir.model.ShardNotes.Why;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Copies that were asked, in columns, in order. Not safe on several threads. */
final class AskedCopies {
  private static final int MOST = 128;
  private static final int USUAL = 8;

  private int count;
  private int leftOut;
  private int[] shards = new int[0];
  private String[] phases = new String[0];
  private String[] nodes = new String[0];
  private Why[] whys = new Why[0];
  private @Nullable Outcome[] outcomes = new Outcome[0];
  private long[] askedNanos = new long[0];
  private long[] overNanos = new long[0];

  AskedCopies() {}

  /** A copy. */
  AskedCopies(AskedCopies other) {
    count = other.count;
    leftOut = other.leftOut;
    shards = Arrays.copyOf(other.shards, count);
    phases = Arrays.copyOf(other.phases, count);
    nodes = Arrays.copyOf(other.nodes, count);
    whys = Arrays.copyOf(other.whys, count);
    outcomes = Arrays.copyOf(other.outcomes, count);
    askedNanos = Arrays.copyOf(other.askedNanos, count);
    overNanos = Arrays.copyOf(other.overNanos, count);
  }

  /** Forgets them, and gives room back that had to grow for others before them. */
  void clear() {
    if (shards.length > USUAL && count <= USUAL) {
      resize(USUAL);
    }
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
      resize(Math.clamp(4L * count, USUAL, MOST));
    }
    shards[count] = shard;
    phases[count] = phase;
    nodes[count] = nodeId;
    whys[count] = why;
    outcomes[count] = null;
    askedNanos[count] = nowNanos;
    count++;
  }

  private void resize(int size) {
    shards = Arrays.copyOf(shards, size);
    phases = Arrays.copyOf(phases, size);
    nodes = Arrays.copyOf(nodes, size);
    whys = Arrays.copyOf(whys, size);
    outcomes = Arrays.copyOf(outcomes, size);
    askedNanos = Arrays.copyOf(askedNanos, size);
    overNanos = Arrays.copyOf(overNanos, size);
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
