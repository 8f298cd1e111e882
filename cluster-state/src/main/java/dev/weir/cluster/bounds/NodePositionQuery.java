package dev.weir.cluster.bounds;

import dev.weir.cluster.StatePosition;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionRequest;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.cluster.coordination.ClusterStateTermVersion;

/**
 * Queries which state one node has applied. At most one query is in flight; later callers share the
 * next one. A node that did not answer is not queried for a second. Safe on any thread.
 */
final class NodePositionQuery implements ReplyHandler<GetTermVersionResponse> {
  private static final Duration TIMEOUT = Duration.ofMillis(250);
  private static final long FAILURE_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

  private final String nodeId;
  private final NodeClients clients;
  private final LongSupplier nanoTime;
  private final Runnable onQuerySent;
  private List<Consumer<@Nullable StatePosition>> nextCallbacks = new ArrayList<>();
  private List<Consumer<@Nullable StatePosition>> activeCallbacks = List.of();
  private boolean isInFlight;
  private boolean isPaused;
  private long pausedUntilNanos;

  NodePositionQuery(String nodeId, NodeClients clients, LongSupplier nanoTime, Runnable counted) {
    this.nodeId = nodeId;
    this.clients = clients;
    this.nanoTime = nanoTime;
    this.onQuerySent = counted;
  }

  /**
   * Calls {@code callback} once with the position, or with null if the node does not answer; at
   * once or on any thread.
   */
  void query(Consumer<@Nullable StatePosition> callback) {
    boolean mute;
    synchronized (this) {
      isPaused = isPaused && nanoTime.getAsLong() - pausedUntilNanos < 0;
      mute = isPaused;
      if (!mute) {
        nextCallbacks.add(callback);
        if (isInFlight) {
          return;
        }
        isInFlight = true;
      }
    }
    if (mute) {
      callback.accept(null);
    } else {
      send();
    }
  }

  private void send() {
    synchronized (this) {
      activeCallbacks = nextCallbacks;
      nextCallbacks = new ArrayList<>();
    }
    NodeClient client = clients.byId(nodeId);
    if (client == null || !client.isConnected()) {
      onPosition(null);
      return;
    }
    onQuerySent.run();
    client.send(
        new NodeCall<>(
            GetTermVersionAction.NAME,
            new GetTermVersionRequest().local(true),
            GetTermVersionResponse::new,
            ChannelKind.CONTROL,
            Map.of(),
            TIMEOUT),
        Runnable::run,
        this);
  }

  @Override
  public void onReply(GetTermVersionResponse reply, ReplyFrame frame) {
    ClusterStateTermVersion applied = reply.getClusterStateTermVersion();
    onPosition(new StatePosition(applied.getTerm(), applied.getVersion()));
  }

  @Override
  public void onFailure(NodeCallException failure) {
    onPosition(null);
  }

  private void onPosition(@Nullable StatePosition position) {
    List<Consumer<@Nullable StatePosition>> callbacks;
    boolean again;
    synchronized (this) {
      callbacks = activeCallbacks;
      activeCallbacks = List.of();
      if (position == null) {
        isPaused = true;
        pausedUntilNanos = nanoTime.getAsLong() + FAILURE_PAUSE_NANOS;
        callbacks = new ArrayList<>(callbacks);
        callbacks.addAll(nextCallbacks);
        nextCallbacks = new ArrayList<>();
      }
      again = !nextCallbacks.isEmpty();
      isInFlight = again;
    }
    callbacks.forEach(one -> one.accept(position));
    if (again) {
      send();
    }
  }
}
