package dev.weir.cluster.read;

import java.util.concurrent.atomic.LongAdder;

/** Counts reads of cluster states, and what they could reuse. Safe on any thread. */
public final class StateReadCounts {
  private final LongAdder wholeReads = new LongAdder();
  private final LongAdder routingReads = new LongAdder();
  private final LongAdder diffs = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder reused = new LongAdder();
  private final LongAdder decoded = new LongAdder();

  public StateReadCounts() {}

  /** Counts a read of the whole state. */
  public void addWholeRead() {
    wholeReads.increment();
  }

  /** Counts a read of the routing of some indices. */
  public void addRoutingRead(int indices) {
    routingReads.increment();
    decoded.add(indices);
  }

  /** Counts steps from one state to the next, which a node's plugin answered with. */
  public void addDiffs(int steps, int byteCount) {
    diffs.add(steps);
    bytes.add(byteCount);
  }

  /** Counts the bytes of a response. */
  public void addBytes(int count) {
    bytes.add(count);
  }

  void addParts(int reusedParts, int decodedParts) {
    reused.add(reusedParts);
    decoded.add(decodedParts);
  }

  /** Returns how many reads covered the whole state. */
  public long wholeReads() {
    return wholeReads.sum();
  }

  /** Returns how many reads covered the routing of some indices. */
  public long routingReads() {
    return routingReads.sum();
  }

  /** Returns how many steps from one state to the next were read. */
  public long diffs() {
    return diffs.sum();
  }

  /** Returns the bytes of all responses. */
  public long bytes() {
    return bytes.sum();
  }

  /**
   * Returns how often the metadata or the routing of an index had the same bytes as in the previous
   * response, so that its object was reused.
   */
  public long reusedParts() {
    return reused.sum();
  }

  /** Returns how often the metadata or the routing of an index was decoded. */
  public long decodedParts() {
    return decoded.sum();
  }
}
