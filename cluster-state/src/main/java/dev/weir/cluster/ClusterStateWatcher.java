package dev.weir.cluster;

import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls for changes of the cluster and reads the changed state. A poll asks one node for the term
 * and version of its state (some 70 bytes), and every fifth time for its cluster manager too. If
 * the node fails or lags behind, the poll asks the next one. If no node answers, it starts a {@link
 * ClusterRediscovery}. While a node with the plugin is followed by its changes, polls read nothing
 * else. Confined to the polling thread, except for {@link #hint}.
 */
final class ClusterStateWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterStateWatcher.class);

  private static final int MAX_NODES_PER_POLL = 5;

  /** A node may leave while its state is read; then another one is asked at once. */
  private static final int MAX_READS_PER_POLL = 2;

  private static final int MIN_LEADERLESS_NODES = 3;
  private static final int POLLS_PER_MANAGER_CHECK = 5;

  /**
   * Reading takes at most a tenth of the time: it pauses nine times as long as the last read took.
   * The pause is shorter when requests wait.
   */
  private static final int REST_FACTOR = 9;

  /** Before a read of the whole state that takes longer, moving shards are read alone. */
  private static final long SHORT_READ_NANOS = Duration.ofMillis(20).toNanos();

  private static final int MAX_INDICES_PER_ROUTING_READ = 256;

  private final ClusterStateReader reader;
  private final PollNodeSelector candidates;
  private final ViewPublisher publisher;
  private final ClusterRediscovery rediscovery;
  private final ClusterErrors errors;
  private final ClusterStateDiffFollower diffs;
  private final ReadPacer wholeReads;
  private final ReadPacer routingReads;
  private final MissingCopyReports missingCopies;
  private final AtomicReference<@Nullable NodeClient> hint = new AtomicReference<>();
  private long pollCount;
  private boolean isReadPending;
  private @Nullable StatePosition routingRead;

  ClusterStateWatcher(
      ClusterStateReader reader,
      PollNodeSelector candidates,
      ViewPublisher publisher,
      ClusterRediscovery rescue,
      ClusterErrors troubles,
      ClusterStateDiffFollower diffs) {
    this.reader = reader;
    this.candidates = candidates;
    this.publisher = publisher;
    this.rediscovery = rescue;
    this.errors = troubles;
    this.diffs = diffs;
    this.wholeReads = new ReadPacer(publisher::now);
    this.routingReads = new ReadPacer(publisher::now);
    this.missingCopies = new MissingCopyReports(publisher::now);
  }

  /**
   * Makes the next poll begin with a node that is known to have a newer state. Safe on any thread.
   */
  void hint(NodeClient node) {
    hint.set(node);
  }

  /**
   * Takes the failure of a request, which may show that a shard has moved. Safe on any thread.
   *
   * @return whether the next poll should begin at once
   */
  boolean onShardFailure(Exception failure) {
    return missingCopies.add(failure);
  }

  /**
   * Returns how many nanoseconds to wait before reading a change that a poll detected; 0 if there
   * is no unread change.
   */
  long readDelayNanos(boolean urgent) {
    return isReadPending ? Math.max(1, restNanos(urgent)) : 0;
  }

  /**
   * Polls once.
   *
   * @param urgent whether requests wait for the result; the poll then asks the cluster manager
   *     first, which has changes before the other nodes
   * @return whether any node of the cluster answered; false also if a newer state could not be read
   */
  boolean poll(boolean urgent) throws InterruptedException {
    ClusterView view = publisher.view();
    PollResult result =
        new PollResult(
            pollCount++ % POLLS_PER_MANAGER_CHECK == 0
                || view.state().nodes().getClusterManagerNodeId() == null);
    List<NodeClient> order = pollOrder(view, urgent, result.forManager);
    int count = 0;
    for (NodeClient node : order) {
      if (count++ >= MAX_NODES_PER_POLL && result.foreign < count - 1) {
        break; // the limit does not apply while all nodes are foreign
      }
      try {
        if (isSettledBy(node, order, view, urgent, result)) {
          rediscovery.reset();
          return true;
        }
      } catch (NodeCallException failure) {
        candidates.deprioritize(node);
        result.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      } catch (IOException | RuntimeException failure) {
        result.failures.add(node.endpoint().name() + ": " + failure.getMessage());
      }
      if (result.failedReads >= MAX_READS_PER_POLL) {
        break;
      }
    }
    if (result.failedReads > 0) {
      rediscovery.reset();
      errors.recordFailure("the newest state could not be read: " + result.failures);
      return false; // nodes are asked again after the rest
    }
    NodeClient behind = result.firstBehind;
    if (behind == null) {
      return rediscovery.tryAll(result.failures, result.foreign == order.size());
    }
    if (result.leaderless > 0) {
      rediscovery.reset();
    } else if (rediscovery.tryEarlierState(behind)) {
      routingRead = null;
      isReadPending = false;
      return true;
    }
    errors.recordFailure(
        result.behind + " nodes lag behind the newest known state: " + result.failures);
    return true;
  }

  /** The nodes' responses in one poll. */
  private static final class PollResult {
    private final boolean forManager;
    private final List<String> failures = new ArrayList<>();
    private @Nullable NodeClient firstBehind;
    private int behind;
    private int foreign;
    private int leaderless;
    private int failedReads;

    PollResult(boolean forManager) {
      this.forManager = forManager;
    }
  }

  private boolean isSettledBy(
      NodeClient node, List<NodeClient> order, ClusterView view, boolean urgent, PollResult result)
      throws NodeCallException, IOException, InterruptedException {
    StateProbe probe = reader.probe(node, result.forManager);
    return switch (StateComparison.compare(probe, view, rediscovery.followedUuid())) {
      case NOT_JOINED -> {
        result.failures.add(node.endpoint().name() + ": has not joined a cluster");
        yield false;
      }
      case FOREIGN -> {
        result.foreign++;
        result.failures.add(
            node.endpoint().name() + ": is in another cluster now, " + probe.clusterUuid());
        yield false;
      }
      case BEHIND -> {
        result.firstBehind = result.firstBehind == null ? node : result.firstBehind;
        result.behind++;
        yield false;
      }
      case SAME -> {
        isReadPending = false;
        missingCopies.takeAll(); // the view is right, and a node lags
        publisher.confirm();
        errors.clearFailure();
        yield true;
      }
      case NEWER -> {
        if (diffs.awaitPosition(probe.position())) {
          isReadPending = false;
          errors.clearFailure();
          yield true;
        }
        NodeClient source = chooseSource(node, probe, order, view);
        readMovingIndices(source, probe);
        yield readNewer(source, publisher.view(), urgent, result);
      }
      case NO_CLUSTER_MANAGER -> {
        result.leaderless++;
        yield result.leaderless >= Math.min(MIN_LEADERLESS_NODES, order.size())
            && readNewer(node, view, urgent, result);
      }
    };
  }

  /**
   * Reads the routing of the indices that are about to change, if the whole state has to wait or
   * takes long: what a shard that has moved means to requests does not depend on the rest. A
   * failure leaves it to the read of the whole state.
   */
  private void readMovingIndices(NodeClient source, StateProbe probe) throws InterruptedException {
    if (routingReads.restNanos(REST_FACTOR) > 0) {
      return; // reported copies wait too
    }
    List<String> indices = missingCopies.takeAll();
    boolean isReported = !indices.isEmpty();
    indices.addAll(publisher.nextMovingIndices(MAX_INDICES_PER_ROUTING_READ));
    boolean isWholeReadNear =
        wholeReads.restNanos(REST_FACTOR) <= 0 && wholeReads.tookNanos() < SHORT_READ_NANOS;
    boolean isRead = probe.position().equals(routingRead) && !isReported;
    if (indices.isEmpty() || isWholeReadNear || isRead) {
      return;
    }
    routingReads.begin();
    try {
      ClusterState read = reader.readRouting(source, indices);
      if (read.metadata().clusterUUID().equals(rediscovery.followedUuid())) {
        StatePosition position = StatePosition.of(read);
        routingRead = position;
        publisher.publishRouting(position, read.routingTable());
      }
    } catch (NodeCallException failure) {
      LOG.debug("routing of moving shards not read from {}", source.endpoint().name(), failure);
    } finally {
      routingReads.end();
    }
  }

  /** Returns whether shards are moving, so that polls should find the next changes soon. */
  boolean isExpectingChanges() {
    return !diffs.isLive() && publisher.hasMovingIndices();
  }

  private boolean readNewer(NodeClient source, ClusterView view, boolean urgent, PollResult result)
      throws NodeCallException, IOException, InterruptedException {
    if (restNanos(urgent) > 0 && result.failedReads == 0) {
      isReadPending = true;
      hint(source);
      return true;
    }
    ClusterStateReader.ReadResult read = readState(source, result);
    return switch (StateComparison.compare(
        StateProbe.of(read.state()), view, rediscovery.followedUuid())) {
      case NOT_JOINED, FOREIGN, BEHIND -> false;
      case SAME -> {
        isReadPending = false;
        publisher.confirm();
        yield true;
      }
      case NEWER, NO_CLUSTER_MANAGER -> {
        isReadPending = false;
        publisher.publish(read);
        errors.clearFailure();
        yield true;
      }
    };
  }

  private ClusterStateReader.ReadResult readState(NodeClient source, PollResult result)
      throws NodeCallException, IOException, InterruptedException {
    result.failedReads++;
    wholeReads.begin();
    try {
      ClusterStateReader.ReadResult read = reader.readState(source, publisher.nodeSettings());
      result.failedReads--;
      return read;
    } finally {
      wholeReads.end(); // a read that fails costs the node as much
    }
  }

  /**
   * Chooses the node to read a newer state from; the cluster manager only if no other node has it
   * yet.
   */
  private NodeClient chooseSource(
      NodeClient seenAt, StateProbe wanted, List<NodeClient> order, ClusterView view)
      throws InterruptedException {
    if (!seenAt.equals(candidates.clusterManager(view))) {
      return seenAt;
    }
    for (NodeClient other : order.subList(0, Math.min(order.size(), MIN_LEADERLESS_NODES))) {
      try {
        if (!other.equals(seenAt)
            && reader.probe(other, false).position().compareTo(wanted.position()) >= 0) {
          return other;
        }
      } catch (NodeCallException unreachable) {
        candidates.deprioritize(other); // try the next one, at last the cluster manager
      }
    }
    return seenAt;
  }

  private List<NodeClient> pollOrder(ClusterView view, boolean urgent, boolean check) {
    List<NodeClient> order = check ? candidates.nextCheckOrder(view) : candidates.nextOrder(view);
    NodeClient first = hint.getAndSet(null);
    if (first == null && urgent) {
      first = candidates.clusterManager(view);
    }
    if (first != null && first.isConnected() && !candidates.isDeprioritized(first)) {
      order.remove(first);
      order.addFirst(first);
    }
    return order;
  }

  private long restNanos(boolean urgent) {
    return wholeReads.restNanos(urgent ? 1 : REST_FACTOR);
  }
}
