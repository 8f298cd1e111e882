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
 * Asks nodes which state of the cluster they have applied, for as few bytes as possible: one
 * question a node at a time, shared by all who came before it was sent. An answer is always to a
 * question that was sent after somebody asked for it. Safe on any thread; never blocks.
 */
public final class NodePositionChecker implements ClusterViewListener {
  private final NodeClients clients;
  private final LongSupplier nanoTime;
  private final Map<String, NodePositionQuery> nodes = new ConcurrentHashMap<>();
  private final LongAdder queryCount = new LongAdder();

  /**
   * Makes one that has asked nobody.
   *
   * @param clients reach the nodes
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public NodePositionChecker(NodeClients clients, LongSupplier nanoTime) {
    this.clients = clients;
    this.nanoTime = nanoTime;
  }

  /** How many questions were sent. */
  public long queryCount() {
    return queryCount.sum();
  }

  /**
   * Tells once, on any thread, within a second, whether each of the nodes has applied exactly the
   * state at this position, by its own words to a question sent after this call.
   */
  public void checkAllAt(
      Collection<String> nodeIds, StatePosition position, Consumer<Boolean> told) {
    check(nodeIds, position::equals, told);
  }

  /** The same for nodes that have applied that state or a later one. */
  void checkAllReached(Collection<String> nodeIds, StatePosition position, Consumer<Boolean> told) {
    check(nodeIds, heard -> heard.compareTo(position) >= 0, told);
  }

  private void check(
      Collection<String> nodeIds, Predicate<StatePosition> right, Consumer<Boolean> told) {
    AtomicInteger open = new AtomicInteger(nodeIds.size());
    AtomicBoolean over = new AtomicBoolean();
    if (nodeIds.isEmpty()) {
      told.accept(true);
      return;
    }
    for (String nodeId : nodeIds) {
      nodes
          .computeIfAbsent(
              nodeId, id -> new NodePositionQuery(id, clients, nanoTime, queryCount::increment))
          .query(heard -> {
            if (heard == null || !right.test(heard)) {
              if (over.compareAndSet(false, true)) {
                told.accept(false);
              }
            } else if (open.decrementAndGet() == 0 && over.compareAndSet(false, true)) {
              told.accept(true);
            }
          });
    }
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    nodes.keySet().retainAll(now.nodes().keySet());
  }
}
