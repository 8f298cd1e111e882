package dev.weir.cluster.bounds;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.StatePosition;
import dev.weir.protocol.NodeClients;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Asks nodes which cluster state they have applied, with as few bytes as possible. Each node gets
 * one query at a time, and callers share a query that is not sent yet. A caller never gets the
 * response to a query that was sent before its call. Safe on any thread; never blocks.
 */
public final class NodePositionChecker implements ClusterViewListener {
  private final NodeClients clients;
  private final LongSupplier nanoTime;
  private final Map<String, NodePositionQuery> nodes = new ConcurrentHashMap<>();
  private final LongAdder queryCount = new LongAdder();

  /**
   * Creates a checker.
   *
   * @param clients call the nodes
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public NodePositionChecker(NodeClients clients, LongSupplier nanoTime) {
    this.clients = clients;
    this.nanoTime = nanoTime;
  }

  /** Returns the number of queries sent. */
  public long queryCount() {
    return queryCount.sum();
  }

  /**
   * Calls {@code callback} once, on any thread, within a second: true if each of the nodes has
   * applied exactly the state at this position, according to its response to a query sent after
   * this call.
   */
  public void checkAllAt(
      Collection<String> nodeIds, StatePosition position, Consumer<Boolean> callback) {
    check(nodeIds, position::equals, callback);
  }

  /** As {@link #checkAllAt}, for nodes that have applied that state or a later one. */
  void checkAllReached(
      Collection<String> nodeIds, StatePosition position, Consumer<Boolean> callback) {
    check(nodeIds, applied -> applied.compareTo(position) >= 0, callback);
  }

  private void check(
      Collection<String> nodeIds, Predicate<StatePosition> right, Consumer<Boolean> callback) {
    AtomicInteger open = new AtomicInteger(nodeIds.size());
    AtomicBoolean isDone = new AtomicBoolean();
    if (nodeIds.isEmpty()) {
      callback.accept(true);
      return;
    }
    for (String nodeId : nodeIds) {
      nodes
          .computeIfAbsent(
              nodeId, id -> new NodePositionQuery(id, clients, nanoTime, queryCount::increment))
          .query(applied -> {
            if (applied == null || !right.test(applied)) {
              if (isDone.compareAndSet(false, true)) {
                callback.accept(false);
              }
            } else if (open.decrementAndGet() == 0 && isDone.compareAndSet(false, true)) {
              callback.accept(true);
            }
          });
    }
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    nodes.keySet().retainAll(now.nodes().keySet());
  }
}
