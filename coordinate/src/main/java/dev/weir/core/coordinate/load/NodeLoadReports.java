package dev.weir.core.coordinate.load;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.model.Phase;
import dev.weir.protocol.NodeLoadReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The newest load reports of each node that announced {@link Capability#LOAD_FEEDBACK}. Safe on any
 * thread.
 */
public final class NodeLoadReports {
  private static final Phase[] PHASES = Phase.values();

  private final NodeCapabilities capabilities;
  private final LongSupplier nanoTime;

  /** By node id. */
  private final ConcurrentHashMap<String, Node> nodes = new ConcurrentHashMap<>();

  /** The inboxes of one node, by phase. */
  private final class Node {
    private final Inbox[] byPhase;
    private final AtomicLong gcPauseMillis = new AtomicLong(-1);

    Node() {
      byPhase = Stream.of(PHASES).map(phase -> new Inbox(this, phase)).toArray(Inbox[]::new);
    }
  }

  /** Takes the reports of one node with the responses of one phase. Safe on any thread. */
  public final class Inbox {
    private final Node node;
    private final Phase phase;
    private volatile @Nullable Received newest;

    private Inbox(Node node, Phase phase) {
      this.node = node;
      this.phase = phase;
    }

    /** Keeps a report. */
    public void record(NodeLoadReport report) {
      newest = new Received(phase, report, nanoTime.getAsLong());
      // responses overtake each other: the pauses of a node never become fewer
      if (report.gcPauseMillis() > node.gcPauseMillis.get()) {
        node.gcPauseMillis.accumulateAndGet(report.gcPauseMillis(), Math::max);
      }
    }

    /**
     * Returns the queue that counts for copy selection; negative for none.
     *
     * @param inBody the queue that the reply itself contains; negative if it contains none
     */
    public int queueSize(int inBody, NodeLoadReport report) {
      int queued = report.queuedTasks();
      return queued < 0 || (inBody >= 0 && isBodyPreferred()) ? inBody : queued;
    }

    /**
     * Returns the service time that counts for copy selection, in nanoseconds; zero or negative for
     * none.
     *
     * @param inBody the service time that the reply itself contains; zero or negative if none
     */
    public long serviceNanos(long inBody, NodeLoadReport report) {
      long service = report.serviceNanos();
      return service <= 0 || (inBody > 0 && isBodyPreferred()) ? inBody : service;
    }

    /**
     * Queries count as they do without the plugin: a query's own report shows whether a node's
     * request cache answered. A bulk's own report is of this bulk alone, and no average.
     */
    private boolean isBodyPreferred() {
      return phase == Phase.QUERY;
    }
  }

  /**
   * A report.
   *
   * @param phase of the response that it came with
   * @param atNanos when it came, by the clock of {@link NodeLoadReports}
   */
  public record Received(Phase phase, NodeLoadReport report, long atNanos) {}

  /**
   * A report for display.
   *
   * @param nodeId the node
   * @param phase of the response that it came with
   * @param gcPauseMillis the longest time that the node reported for its pauses; -1 if unknown
   */
  public record NodeReport(String nodeId, Phase phase, NodeLoadReport report, long gcPauseMillis) {}

  /**
   * Starts without reports.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public NodeLoadReports(NodeCapabilities capabilities, LongSupplier nanoTime) {
    this.capabilities = capabilities;
    this.nanoTime = nanoTime;
  }

  /**
   * Returns where the report of a call goes; null for a call that asks for none: the node has not
   * announced the capability, or the phase takes no thread of a pool.
   */
  public @Nullable Inbox inbox(String nodeId, Phase phase) {
    if (phase == Phase.CAN_MATCH || !capabilities.has(nodeId, Capability.LOAD_FEEDBACK)) {
      return null;
    }
    Node known = nodes.get(nodeId);
    Node node = known != null ? known : nodes.computeIfAbsent(nodeId, id -> new Node());
    return node.byPhase[phase.ordinal()];
  }

  /** Returns a node's newest report of a phase; null if it reports none. */
  public @Nullable Received newest(String nodeId, Phase phase) {
    Node node = reporting(nodeId);
    return node == null ? null : node.byPhase[phase.ordinal()].newest;
  }

  /** Returns how long ago a report came, in nanoseconds. */
  public long ageNanos(Received received) {
    return nanoTime.getAsLong() - received.atNanos();
  }

  /** Returns a node's newest report, of any phase; null if it reports none. */
  public @Nullable NodeReport newest(String nodeId) {
    Node node = reporting(nodeId);
    if (node == null) {
      return null;
    }
    Received newest = null;
    for (Inbox inbox : node.byPhase) {
      Received received = inbox.newest;
      if (received != null && (newest == null || received.atNanos() - newest.atNanos() > 0)) {
        newest = received;
      }
    }
    return newest == null ? null : row(nodeId, node, newest);
  }

  /** Returns the newest report of each node, of any phase. */
  public List<NodeReport> newestOfNodes() {
    List<NodeReport> rows = new ArrayList<>();
    for (String nodeId : nodes.keySet()) {
      NodeReport report = newest(nodeId);
      if (report != null) {
        rows.add(report);
      }
    }
    return rows;
  }

  /** Returns the newest report of each node and phase. */
  public List<NodeReport> newestOfPhases() {
    List<NodeReport> rows = new ArrayList<>();
    for (String nodeId : nodes.keySet()) {
      Node node = reporting(nodeId);
      if (node != null) {
        for (Inbox inbox : node.byPhase) {
          Received received = inbox.newest;
          if (received != null) {
            rows.add(row(nodeId, node, received));
          }
        }
      }
    }
    return rows;
  }

  private static NodeReport row(String nodeId, Node node, Received received) {
    return new NodeReport(nodeId, received.phase(), received.report(), node.gcPauseMillis.get());
  }

  /** Returns what is known of a node that has the capability now. */
  private @Nullable Node reporting(String nodeId) {
    return capabilities.has(nodeId, Capability.LOAD_FEEDBACK) ? nodes.get(nodeId) : null;
  }

  /** Forgets every other node. */
  public void retainOnly(Set<String> nodeIds) {
    nodes.keySet().retainAll(nodeIds);
  }

  /** Forgets a node after its restart. */
  public void forget(String nodeId) {
    nodes.remove(nodeId);
  }
}
