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
 * Picks the live node where a request is likely to be answered first: the fewest outstanding
 * requests, each weighted by the node's average response time. Nodes with nearly the same load get
 * requests in turn. An unreachable node is ejected for a while; it is picked only when no other is
 * left.
 *
 * <p>For example, a has 3 outstanding requests and answers in 10 ms, b has 1 and answers in 30 ms:
 * a costs (3 + 1) * 10, b costs (1 + 1) * 30, so a is picked.
 */
public final class LeastLoadTargetSelector implements ProxyTargetSelector {
  /** Above this number of tracked nodes, those that left the cluster are dropped. */
  private static final int MAX_TRACKED_NODES = 1024;

  /** Costs that differ by less count as equal: the averages are no more exact than that. */
  private static final double SAME_COST = 1.25;

  private static final double EJECTED_COST_FACTOR = 1e12;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVICE_UNAVAILABLE = 503;

  private final Supplier<List<InetSocketAddress>> liveNodes;
  private final LongSupplier nanoClock;
  private final long avoidNanos;
  private final ConcurrentHashMap<InetSocketAddress, ProxyTargetLoad> nodes =
      new ConcurrentHashMap<>();
  private final AtomicInteger nextIndex = new AtomicInteger();

  /**
   * Creates a selector.
   *
   * @param live the REST addresses of the nodes in the cluster; cheap, called on any thread
   * @param avoidFor how long an unreachable node is ejected
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public LeastLoadTargetSelector(
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
    double typical = typicalNanos(candidates);
    InetSocketAddress best = null;
    double least = Double.POSITIVE_INFINITY;
    for (InetSocketAddress candidate : candidates) {
      double cost = tried.contains(candidate) ? least : cost(candidate, typical, now);
      if (cost < least) {
        best = candidate;
        least = cost;
      }
    }
    int from = Math.floorMod(nextIndex.getAndIncrement(), size);
    for (int i = 0; i < size; i++) {
      InetSocketAddress candidate = candidates.get((from + i) % size);
      if (!tried.contains(candidate) && cost(candidate, typical, now) <= least * SAME_COST) {
        return candidate;
      }
    }
    return best; // all were tried, or all costs have risen meanwhile
  }

  @Override
  public @Nullable InetSocketAddress pickReachable(Collection<InetSocketAddress> tried) {
    InetSocketAddress picked = pick(tried);
    ProxyTargetLoad load = picked == null ? null : nodes.get(picked);
    return load != null && load.isEjected(nanoClock.getAsLong(), avoidNanos) ? null : picked;
  }

  /** Returns the mean of the averages that are known; 0 for none. */
  private double typicalNanos(List<InetSocketAddress> candidates) {
    double sum = 0;
    int known = 0;
    for (InetSocketAddress candidate : candidates) {
      ProxyTargetLoad load = nodes.get(candidate);
      double average = load == null ? 0 : load.averageNanos();
      sum += average;
      known += average > 0 ? 1 : 0;
    }
    return known == 0 ? 0 : sum / known;
  }

  private double cost(InetSocketAddress node, double typicalNanos, long now) {
    ProxyTargetLoad load = nodes.get(node);
    if (load == null) {
      return typicalNanos == 0 ? 1 : typicalNanos;
    }
    double cost = load.cost(typicalNanos, now);
    return load.isEjected(now, avoidNanos) ? cost * EJECTED_COST_FACTOR : cost;
  }

  @Override
  public void onStarted(InetSocketAddress node) {
    ProxyTargetLoad known = nodes.get(node);
    if (known == null) {
      if (nodes.size() >= MAX_TRACKED_NODES) {
        List<InetSocketAddress> current = liveNodes.get();
        nodes
            .entrySet()
            .removeIf(e -> e.getValue().outstanding() == 0 && !current.contains(e.getKey()));
      }
      known = nodes.computeIfAbsent(node, _ -> new ProxyTargetLoad());
    }
    known.onStarted(nanoClock.getAsLong());
  }

  @Override
  public void onResponse(InetSocketAddress node, int status, long elapsedNanos) {
    ProxyTargetLoad known = nodes.get(node);
    if (known != null) {
      boolean rejected = status == TOO_MANY_REQUESTS || status == SERVICE_UNAVAILABLE;
      known.onResponse(elapsedNanos, rejected, nanoClock.getAsLong());
    }
  }

  @Override
  public void onEnded(InetSocketAddress node, boolean reached) {
    ProxyTargetLoad known = nodes.get(node);
    if (known != null) {
      known.onEnded(reached, nanoClock.getAsLong());
    }
  }

  /** Returns the number of tracked nodes. */
  int trackedNodes() {
    return nodes.size();
  }

  /** Returns the number of outstanding requests to a node. */
  public int outstanding(InetSocketAddress node) {
    ProxyTargetLoad known = nodes.get(node);
    return known == null ? 0 : known.outstanding();
  }
}
