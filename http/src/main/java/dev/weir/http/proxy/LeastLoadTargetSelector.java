package dev.weir.http.proxy;

import dev.weir.http.proxy.ProxyTargetLoad.ResponseKind;
import dev.weir.http.proxy.ProxyTargetLoad.Snapshot;
import dev.weir.model.HttpStatus;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Picks the live node where a request is likely to be answered first: the fewest outstanding
 * requests, each weighted by the node's average response time. Nodes with nearly the same load get
 * requests in turn. An unreachable node is ejected for a while; it is picked only when no other is
 * left. A node that refuses or fails more requests than the others costs more, up to 17 times as
 * much: it has few outstanding requests only because errors come fast.
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

  private final Supplier<List<InetSocketAddress>> liveNodes;
  private final ToDoubleFunction<InetSocketAddress> costFactor;
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
    this(live, node -> 1, avoidFor, nanoClock);
  }

  /**
   * Creates a selector with nodes that are picked less.
   *
   * @param costFactor multiplies the cost of a node; asked at each choice
   */
  public LeastLoadTargetSelector(
      Supplier<List<InetSocketAddress>> live,
      ToDoubleFunction<InetSocketAddress> costFactor,
      Duration avoidFor,
      LongSupplier nanoClock) {
    this.liveNodes = live;
    this.costFactor = costFactor;
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
    double[] costs = costs(candidates, tried);
    double least = Double.POSITIVE_INFINITY;
    for (double cost : costs) {
      least = Math.min(least, cost);
    }
    if (least == Double.POSITIVE_INFINITY) {
      return null; // all were tried
    }
    int index = Math.floorMod(nextIndex.getAndIncrement(), size);
    while (costs[index] > least * SAME_COST) {
      index = (index + 1) % size;
    }
    return candidates.get(index);
  }

  @Override
  public @Nullable InetSocketAddress pickReachable(Collection<InetSocketAddress> tried) {
    InetSocketAddress picked = pick(tried);
    return picked != null && isEjected(picked, nanoClock.getAsLong()) ? null : picked;
  }

  /** Returns the cost of each candidate; infinite for those that were tried. */
  private double[] costs(List<InetSocketAddress> candidates, Collection<InetSocketAddress> tried) {
    long now = nanoClock.getAsLong();
    List<Snapshot> snapshots = snapshots(candidates, now);
    double typical = typicalNanos(snapshots);
    double leastFailures = snapshots.stream().mapToDouble(Snapshot::failureRatio).min().orElse(0);
    double[] costs = new double[candidates.size()];
    for (int i = 0; i < costs.length; i++) {
      InetSocketAddress candidate = candidates.get(i);
      if (tried.contains(candidate)) {
        costs[i] = Double.POSITIVE_INFINITY;
      } else {
        costs[i] =
            snapshots.get(i).cost(typical, leastFailures)
                * costFactor.applyAsDouble(candidate)
                * (isEjected(candidate, now) ? EJECTED_COST_FACTOR : 1);
      }
    }
    return costs;
  }

  private List<Snapshot> snapshots(List<InetSocketAddress> candidates, long now) {
    List<Snapshot> snapshots = new ArrayList<>(candidates.size());
    for (InetSocketAddress candidate : candidates) {
      ProxyTargetLoad load = nodes.get(candidate);
      snapshots.add(load == null ? Snapshot.UNKNOWN : load.snapshot(now));
    }
    return snapshots;
  }

  /** Returns the mean of the averages that are known; 0 for none. */
  private static double typicalNanos(List<Snapshot> snapshots) {
    double sum = 0;
    int known = 0;
    for (Snapshot snapshot : snapshots) {
      sum += snapshot.averageNanos();
      known += snapshot.averageNanos() > 0 ? 1 : 0;
    }
    return known == 0 ? 0 : sum / known;
  }

  private boolean isEjected(InetSocketAddress node, long now) {
    ProxyTargetLoad load = nodes.get(node);
    return load != null && load.isEjected(now, avoidNanos);
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
      long now = nanoClock.getAsLong();
      ResponseKind kind = kind(status);
      double typical =
          kind == ResponseKind.SUCCESS ? 0 : typicalNanos(snapshots(liveNodes.get(), now));
      known.onResponse(elapsedNanos, kind, typical, now);
    }
  }

  /**
   * A node that can't check who the client is, or is not up to date about it, answers 401 or 403.
   */
  private static ResponseKind kind(int status) {
    return switch (status) {
      case HttpStatus.UNAUTHORIZED, HttpStatus.FORBIDDEN -> ResponseKind.NODE_ERROR;
      case HttpStatus.TOO_MANY_REQUESTS, HttpStatus.SERVICE_UNAVAILABLE -> ResponseKind.REJECTION;
      default -> {
        if (status >= HttpStatus.INTERNAL_SERVER_ERROR) {
          yield ResponseKind.NODE_ERROR;
        }
        yield status >= HttpStatus.BAD_REQUEST ? ResponseKind.REQUEST_ERROR : ResponseKind.SUCCESS;
      }
    };
  }

  @Override
  public void onEnded(InetSocketAddress node, NodeContact contact) {
    ProxyTargetLoad known = nodes.get(node);
    if (known != null) {
      known.onEnded(contact, nanoClock.getAsLong());
    }
  }

  /** Returns the number of tracked nodes. */
  int trackedNodes() {
    return nodes.size();
  }

  @Override
  public int outstanding(InetSocketAddress node) {
    ProxyTargetLoad known = nodes.get(node);
    return known == null ? 0 : known.outstanding();
  }
}
