package dev.weir.core.actions.ingest;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.forward.LeastBusyNodes;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;

/**
 * Finds the node that runs the pipelines of a bulk: one with the role {@code ingest} and the
 * plugin, the least busy first. Safe on any thread.
 */
public final class IngestPipelines {
  /** For how long no node is asked after one forbade it. */
  private static final Duration REFUSAL_PAUSE = Duration.ofMinutes(1);

  private final CoordinationServices coordination;
  private final Predicate<String> runsPipelines;
  private final IngestCounts counts;
  private final LeastBusyNodes busyNodes;
  private final AtomicLong refusedUntilNanos;

  /**
   * Asks no node yet.
   *
   * @param runsPipelines whether a node, by its id, runs pipelines for the gateway now
   */
  public IngestPipelines(
      CoordinationServices coordination, Predicate<String> runsPipelines, IngestCounts counts) {
    this.coordination = coordination;
    this.runsPipelines = runsPipelines;
    this.counts = counts;
    this.busyNodes = new LeastBusyNodes(coordination, NodeCallType.PIPELINES);
    this.refusedUntilNanos = new AtomicLong(nanoTime());
  }

  private long nanoTime() {
    return coordination.nanoClock().getAsLong();
  }

  /**
   * Prepares the run of the pipelines of some items; null if no node can run them. A user's rights
   * are the node's to check, with the whole bulk.
   *
   * @param items unresolved, as the client sent them
   * @param timeout how long the run may wait for room on a node
   */
  public @Nullable PipelineOperation prepare(
      List<DocWriteRequest<?>> items, RequestContext context, ClusterView view, Duration timeout) {
    return context.resources().identity() != null || rank(view, context).isEmpty()
        ? null
        : new PipelineOperation(this, items, context, timeout);
  }

  /** Returns the ids of the nodes that may be asked now, best first. */
  List<String> rank(ClusterView view, RequestContext context) {
    if (nanoTime() - refusedUntilNanos.get() < 0) {
      return List.of();
    }
    return busyNodes.rank(
        view.state().nodes().getIngestNodes().values().stream()
            .filter(node -> view.nodes().containsKey(node.getId()))
            .filter(node -> runsPipelines.test(node.getId()))
            .toList(),
        context);
  }

  /** Counts a bulk that passes through because no node returned its items. */
  public void recordFallback() {
    counts.recordFallback();
  }

  LeastBusyNodes busyNodes() {
    return busyNodes;
  }

  IngestCounts counts() {
    return counts;
  }

  /** A node forbids it to the gateway. */
  void onRefusal() {
    refusedUntilNanos.set(nanoTime() + REFUSAL_PAUSE.toNanos());
  }
}
