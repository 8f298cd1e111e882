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
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of all nodes: one for each node and thread pool, created on first use and kept until
 * the node is dropped. Safe on any thread.
 */
public final class NodeConcurrencyLimiters {
  private static final NodeThreadPool[] THREAD_POOLS = NodeThreadPool.values();

  /** The limit of bytes of writes in flight to a node before a policy sets one. */
  private static final long DEFAULT_MAX_WRITE_BYTES = 64L << 20;

  private final ConcurrentHashMap<String, NodeLimiters> byNode = new ConcurrentHashMap<>();
  private final Map<NodeThreadPool, ResponseTimeTracker> responseTimes =
      new EnumMap<>(NodeThreadPool.class);
  private final LongSupplier nanoTime;
  private final ToDoubleFunction<String> tenantWeight;
  private volatile QueueSettings settings;
  private volatile Consumer<NodeConcurrencyLimiter> freedListener = limiter -> {};
  private volatile NodeAvailability availability = NodeAvailability.ALL_ANSWER;
  private volatile long maxWriteBytes = DEFAULT_MAX_WRITE_BYTES;

  private record NodeLimiters(
      List<NodeConcurrencyLimiter> limiters, NodeWriteBytesLimiter writeBytesLimiter) {}

  NodeConcurrencyLimiters(
      QueueSettings newSettings, LongSupplier nanoTime, ToDoubleFunction<String> tenantWeight) {
    this.settings = newSettings;
    this.nanoTime = nanoTime;
    this.tenantWeight = tenantWeight;
    for (NodeThreadPool work : THREAD_POOLS) {
      responseTimes.put(work, new ResponseTimeTracker());
    }
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Sets the listener that is called after every call that ended. */
  void setFreedListener(Consumer<NodeConcurrencyLimiter> listener) {
    freedListener = listener;
  }

  void setAvailability(NodeAvailability nodeAvailability) {
    availability = nodeAvailability;
  }

  NodeAvailability availability() {
    return availability;
  }

  /** Applies other settings; learned limits stay. */
  void updateSettings(QueueSettings changed) {
    boolean unchanged = changed.hasSameLimitSettings(settings);
    settings = changed;
    if (!unchanged) {
      allLimiters().forEach(limiter -> limiter.updateSettings(changed));
    }
  }

  ResponseTimeTracker responseTimes(NodeThreadPool work) {
    ResponseTimeTracker known = responseTimes.get(work);
    if (known == null) {
      throw new IllegalStateException("got no times of " + work + " (expected: of each class)");
    }
    return known;
  }

  /** Returns the limiter of one of a node's thread pools. */
  public NodeConcurrencyLimiter limiter(String nodeId, NodeThreadPool work) {
    return limitersOf(nodeId).limiters().get(work.ordinal());
  }

  /**
   * Returns the limiter of one of a node's thread pools; null if there is none yet. Unlike {@link
   * #limiter}, this remembers no node: a client may name one that does not exist.
   */
  public @Nullable NodeConcurrencyLimiter findLimiter(String nodeId, NodeThreadPool work) {
    NodeLimiters known = byNode.get(nodeId);
    return known == null ? null : known.limiters().get(work.ordinal());
  }

  /** Returns the limiter of bytes of writes in flight to a node. */
  public NodeWriteBytesLimiter writeBytesLimiter(String nodeId) {
    return limitersOf(nodeId).writeBytesLimiter();
  }

  private NodeLimiters limitersOf(String nodeId) {
    NodeLimiters known = byNode.get(nodeId);
    if (known != null) {
      return known;
    }
    QueueSettings before = settings;
    long maxBytesBefore = maxWriteBytes;
    NodeLimiters made = byNode.computeIfAbsent(nodeId, this::newLimiters);
    if (!settings.equals(before)) { // changed before all could see the new limiters
      made.limiters().forEach(limiter -> limiter.updateSettings(settings));
    }
    if (maxWriteBytes != maxBytesBefore) {
      made.writeBytesLimiter().setMaxBytes(maxWriteBytes);
    }
    return made;
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
                  nanoTime, tenantWeight, limiter -> freedListener.accept(limiter))));
    }
    return new NodeLimiters(made, bytes);
  }

  /** Bounds the bytes of writes in flight to each node. */
  void setMaxWriteBytes(long maxBytes) {
    maxWriteBytes = maxBytes;
    allWriteBytesLimiters().forEach(bytes -> bytes.setMaxBytes(maxBytes));
  }

  /** Returns the limiters of bytes of writes of all nodes. */
  public List<NodeWriteBytesLimiter> allWriteBytesLimiters() {
    return byNode.values().stream()
        .map(NodeLimiters::writeBytesLimiter)
        .sorted(Comparator.comparing(NodeWriteBytesLimiter::nodeId))
        .toList();
  }

  /** Drops all other nodes; calls in flight there still end. */
  void retainNodes(Set<String> nodeIds) {
    byNode.keySet().retainAll(nodeIds);
  }

  /** Drops a node after its restart; calls in flight there still end. */
  void forgetNode(String nodeId) {
    byNode.remove(nodeId);
  }

  /** Sets the size of one of a node's thread pools. */
  void setThreads(String nodeId, NodeThreadPool work, int threads) {
    limiter(nodeId, work).setThreads(threads);
  }

  /** Returns all limiters, by node and thread pool. */
  public List<NodeConcurrencyLimiter> allLimiters() {
    List<NodeConcurrencyLimiter> all = new ArrayList<>();
    byNode.values().forEach(of -> all.addAll(of.limiters()));
    all.sort(
        Comparator.comparing(NodeConcurrencyLimiter::nodeId)
            .thenComparing(NodeConcurrencyLimiter::threadPool));
    return all;
  }
}
