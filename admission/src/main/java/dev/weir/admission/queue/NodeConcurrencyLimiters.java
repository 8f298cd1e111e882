package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The lanes to all nodes: one for each node and class, made when first asked for and kept until the
 * node is dropped. Safe on any thread.
 */
public final class NodeConcurrencyLimiters {
  private static final NodeThreadPool[] THREAD_POOLS = NodeThreadPool.values();

  /** Bytes of writes that a node may have, while nobody says how many. */
  private static final long DEFAULT_MAX_WRITE_BYTES = 64L << 20;

  private final ConcurrentHashMap<String, NodeLimiters> byNode = new ConcurrentHashMap<>();
  private final Map<NodeThreadPool, ResponseTimeTracker> responseTimes =
      new EnumMap<>(NodeThreadPool.class);
  private final LongSupplier nanoTime;
  private volatile QueueSettings settings;
  private volatile Consumer<NodeConcurrencyLimiter> freedListener = lane -> {};
  private volatile long maxWriteBytes = DEFAULT_MAX_WRITE_BYTES;

  private record NodeLimiters(
      List<NodeConcurrencyLimiter> limiters, NodeWriteBytesLimiter writeBytesLimiter) {}

  NodeConcurrencyLimiters(QueueSettings terms, LongSupplier nanoTime) {
    this.settings = terms;
    this.nanoTime = nanoTime;
    for (NodeThreadPool work : THREAD_POOLS) {
      responseTimes.put(work, new ResponseTimeTracker());
    }
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Tells of every call that ended. */
  void setFreedListener(Consumer<NodeConcurrencyLimiter> listener) {
    freedListener = listener;
  }

  /** Sizes lanes by other terms; what they learned stays. */
  void updateSettings(QueueSettings changed) {
    boolean alike = changed.hasSameLimitSettings(settings);
    settings = changed;
    if (!alike) {
      allLimiters().forEach(lane -> lane.updateSettings(changed));
    }
  }

  ResponseTimeTracker responseTimes(NodeThreadPool work) {
    ResponseTimeTracker known = responseTimes.get(work);
    if (known == null) {
      throw new IllegalStateException("got no times of " + work + " (expected: of each class)");
    }
    return known;
  }

  /** The lane of a node for a class. */
  public NodeConcurrencyLimiter limiter(String nodeId, NodeThreadPool work) {
    return limitersOf(nodeId).limiters().get(work.ordinal());
  }

  /** What a node has under way of writes, in bytes. */
  public NodeWriteBytesLimiter writeBytesLimiter(String nodeId) {
    return limitersOf(nodeId).writeBytesLimiter();
  }

  private NodeLimiters limitersOf(String nodeId) {
    NodeLimiters known = byNode.get(nodeId);
    return known != null ? known : byNode.computeIfAbsent(nodeId, this::newLimiters);
  }

  private NodeLimiters newLimiters(String nodeId) {
    List<NodeConcurrencyLimiter> made = new ArrayList<>(THREAD_POOLS.length);
    NodeWriteBytesLimiter bytes =
        new NodeWriteBytesLimiter(
            nodeId,
            maxWriteBytes,
            () -> freedListener.accept(made.get(NodeThreadPool.WRITE.ordinal())));
    for (NodeThreadPool work : THREAD_POOLS) {
      made.add(
          new NodeConcurrencyLimiter(
              nodeId,
              work,
              settings,
              responseTimes(work),
              work == NodeThreadPool.WRITE ? bytes : null,
              new NodeConcurrencyLimiter.Dependencies(
                  nanoTime, lane -> freedListener.accept(lane))));
    }
    return new NodeLimiters(made, bytes);
  }

  /** Each node may have so many bytes of writes under way from now on, at most. */
  void setMaxWriteBytes(long most) {
    maxWriteBytes = most;
    allWriteBytesLimiters().forEach(bytes -> bytes.setMaxBytes(most));
  }

  /** What all nodes have under way of writes. */
  public List<NodeWriteBytesLimiter> allWriteBytesLimiters() {
    return byNode.values().stream()
        .map(NodeLimiters::writeBytesLimiter)
        .sorted(Comparator.comparing(NodeWriteBytesLimiter::nodeId))
        .toList();
  }

  /** Forgets every node that is not named; what is in flight there still ends. */
  void retainNodes(Set<String> nodeIds) {
    byNode.keySet().retainAll(nodeIds);
  }

  /** Forgets a node, because it was restarted; what is in flight there still ends. */
  void forgetNode(String nodeId) {
    byNode.remove(nodeId);
  }

  /** Learns how many threads a node's pool for a class has. */
  void setThreads(String nodeId, NodeThreadPool work, int threads) {
    limiter(nodeId, work).setThreads(threads);
  }

  /** All lanes, by node and class. */
  public List<NodeConcurrencyLimiter> allLimiters() {
    List<NodeConcurrencyLimiter> all = new ArrayList<>();
    byNode.values().forEach(of -> all.addAll(of.limiters()));
    all.sort(
        Comparator.comparing(NodeConcurrencyLimiter::nodeId)
            .thenComparing(NodeConcurrencyLimiter::threadPool));
    return all;
  }
}
