package dev.weir.cluster.bounds;

import dev.weir.cluster.Position;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.NodeFailure;
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
 * The question to one node which state it has applied. One is under way at most; who comes
 * meanwhile waits for the next one. A node that did not answer is not asked for a second. Safe on
 * any thread.
 */
final class NodePosition implements ReplyHandler<GetTermVersionResponse> {
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final long REST_NANOS = Duration.ofSeconds(1).toNanos();

  private final String nodeId;
  private final NodeClients clients;
  private final LongSupplier nanoTime;
  private final Runnable counted;
  private List<Consumer<@Nullable Position>> next = new ArrayList<>();
  private List<Consumer<@Nullable Position>> asking = List.of();
  private boolean underWay;
  private boolean resting;
  private long restUntilNanos;

  NodePosition(String nodeId, NodeClients clients, LongSupplier nanoTime, Runnable counted) {
    this.nodeId = nodeId;
    this.clients = clients;
    this.nanoTime = nanoTime;
    this.counted = counted;
  }

  /** Tells the position once, or null where the node does not say; at once or on any thread. */
  void ask(Consumer<@Nullable Position> told) {
    boolean mute;
    synchronized (this) {
      resting = resting && nanoTime.getAsLong() - restUntilNanos < 0;
      mute = resting;
      if (!mute) {
        next.add(told);
        if (underWay) {
          return;
        }
        underWay = true;
      }
    }
    if (mute) {
      told.accept(null);
    } else {
      send();
    }
  }

  private void send() {
    synchronized (this) {
      asking = next;
      next = new ArrayList<>();
    }
    NodeClient client = clients.byId(nodeId);
    if (client == null || !client.connected()) {
      heard(null);
      return;
    }
    counted.run();
    client.send(
        new NodeCall<>(
            GetTermVersionAction.NAME,
            new GetTermVersionRequest().local(true),
            GetTermVersionResponse::new,
            ChannelKind.CONTROL,
            Map.of(),
            PATIENCE),
        Runnable::run,
        this);
  }

  @Override
  public void onReply(GetTermVersionResponse reply, ReplyFrame frame) {
    ClusterStateTermVersion said = reply.getClusterStateTermVersion();
    heard(new Position(said.getTerm(), said.getVersion()));
  }

  @Override
  public void onFailure(NodeFailure failure) {
    heard(null);
  }

  private void heard(@Nullable Position position) {
    List<Consumer<@Nullable Position>> told;
    boolean again;
    synchronized (this) {
      told = asking;
      asking = List.of();
      if (position == null) {
        resting = true;
        restUntilNanos = nanoTime.getAsLong() + REST_NANOS;
        told = new ArrayList<>(told);
        told.addAll(next);
        next = new ArrayList<>();
      }
      again = !next.isEmpty();
      underWay = again;
    }
    told.forEach(one -> one.accept(position));
    if (again) {
      send();
    }
  }
}
