package dev.weir.http.proxy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Picks the live node with the fewest outstanding requests, in turn among equal ones. An
 * unreachable node is ejected for a while; it is picked only when no other is left.
 */
public final class LeastOutstandingTargetSelector implements ProxyTargetSelector {

  private static final class NodeStats {
    final AtomicInteger outstanding = new AtomicInteger();
    volatile boolean ejected;
    volatile long ejectedSinceNanos;
  }

  /** Above this number of tracked nodes, those that left the cluster are dropped. */
  private static final int MAX_TRACKED_NODES = 1024;

  private final Supplier<List<InetSocketAddress>> liveNodes;
  private final LongSupplier nanoClock;
  private final long avoidNanos;
  private final ConcurrentHashMap<InetSocketAddress, NodeStats> nodes = new ConcurrentHashMap<>();
  private final AtomicInteger nextIndex = new AtomicInteger();

  /**
   * Creates a selector.
   *
   * @param live the REST addresses of the nodes in the cluster; cheap, called on any thread
   * @param avoidFor how long an unreachable node is ejected
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public LeastOutstandingTargetSelector(
      Supplier<List<InetSocketAddress>> live, Duration avoidFor, LongSupplier nanoClock) {
    this.liveNodes = live;
    this.nanoClock = nanoClock;
    this.avoidNanos = avoidFor.toNanos();
  }

  @Override
  public @Nullable InetSocketAddress pick(Collection<InetSocketAddress> tried) {
    List<InetSocketAddress> candidates = liveNodes.get();
    int size = candidates.size();
    if (size == 0) {
      return null;
    }
    long now = nanoClock.getAsLong();
    int from = Math.floorMod(nextIndex.getAndIncrement(), size);
    InetSocketAddress best = null;
    long bestRank = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      InetSocketAddress candidate = candidates.get((from + i) % size);
      if (!tried.isEmpty() && tried.contains(candidate)) {
        continue;
      }
      long rank = rank(nodes.get(candidate), now);
      if (rank < bestRank) {
        best = candidate;
        bestRank = rank;
      }
    }
    return best;
  }

  /** Returns the number of outstanding requests; an ejected node ranks after all others. */
  private long rank(@Nullable NodeStats node, long now) {
    if (node == null) {
      return 0;
    }
    long rank = node.outstanding.get();
    return node.ejected && now - node.ejectedSinceNanos < avoidNanos ? rank + (1L << 32) : rank;
  }

  @Override
  public void onStarted(InetSocketAddress node) {
    NodeStats known = nodes.get(node);
    if (known == null) {
      if (nodes.size() >= MAX_TRACKED_NODES) {
        List<InetSocketAddress> current = liveNodes.get();
        nodes
            .entrySet()
            .removeIf(e -> e.getValue().outstanding.get() == 0 && !current.contains(e.getKey()));
      }
      known = nodes.computeIfAbsent(node, n -> new NodeStats());
    }
    known.outstanding.incrementAndGet();
  }

  @Override
  public void onEnded(InetSocketAddress node, boolean reached) {
    NodeStats known = nodes.get(node);
    if (known == null) {
      return;
    }
    known.outstanding.decrementAndGet();
    if (!reached) {
      known.ejectedSinceNanos = nanoClock.getAsLong();
      known.ejected = true;
    } else if (known.ejected) {
      known.ejected = false;
    }
  }

  /** Returns the number of tracked nodes. */
  int trackedNodes() {
    return nodes.size();
  }

  /** Returns the number of outstanding requests to a node. */
  public int outstanding(InetSocketAddress node) {
    NodeStats known = nodes.get(node);
    return known == null ? 0 : known.outstanding.get();
  }
}
