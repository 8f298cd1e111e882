package dev.weir.bench.pruning;

import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.GatewayCounts;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.Workload;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One way to serve the search, and what it cost so far. Confined to one thread. */
final class SearchPath {
  private final MeasuredEndpoint endpoint;
  private final @Nullable GatewayCounts counts;
  private final Workload workload;
  private final EndpointMeasurement measured = new EndpointMeasurement();
  private double messages;

  /**
   * Creates a path.
   *
   * @param counts of the gateway; null if the path is a node, whose messages nobody counts
   */
  SearchPath(MeasuredEndpoint endpoint, @Nullable GatewayCounts counts, Workload workload) {
    this.endpoint = endpoint;
    this.counts = counts;
    this.workload = workload;
  }

  String name() {
    return endpoint.name();
  }

  EndpointMeasurement measured() {
    return measured;
  }

  Workload workload() {
    return workload;
  }

  MeasuredEndpoint endpoint() {
    return endpoint;
  }

  /** Returns the messages to nodes for a search; NaN if nobody counts them. */
  double messages() {
    return counts == null ? Double.NaN : messages / measured.requests();
  }

  /** Runs one round and adds its figures. Blocks. */
  void runRound(List<Long> dataNodes, int clients, double seconds) {
    GatewayCounts.Load load =
        () -> measured.runRound(endpoint, workload, dataNodes, clients, seconds);
    if (counts == null) {
      load.run();
    } else {
      messages += counts.messagesOf(load);
    }
  }

  /** Runs a round that measures only heap allocation. Blocks. */
  void measureAllocations(int clients, double seconds) {
    measured.measureAllocations(endpoint, workload, clients, seconds);
  }
}
