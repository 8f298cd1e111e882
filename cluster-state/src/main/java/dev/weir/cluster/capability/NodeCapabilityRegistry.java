package dev.weir.cluster.capability;

import dev.weir.protocol.Backoff;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeConnectionListener;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each node for its plugin when the first channel to a start of the node opens, and keeps the
 * answer until the last channel closes or the node restarts. Safe on any thread.
 *
 * <pre>
 *   unknown --channel opens--> asked --answer, action not found, forbidden--> answered
 *      ^                       |   ^                                             |
 *      |                    failure '- after a pause                              |
 *      '---- last channel closes, or a channel opens to another start of it ----'
 * </pre>
 */
public final class NodeCapabilityRegistry implements NodeCapabilities, NodeConnectionListener {
  /** The plugin's action that answers with a {@link PluginAnnouncement}. */
  public static final String ACTION = "cluster:monitor/weir/capabilities";

  private static final Logger LOG = LoggerFactory.getLogger(NodeCapabilityRegistry.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Backoff RETRIES =
      new Backoff(Duration.ofMillis(500), 2, Duration.ofMinutes(1));
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final Map<String, String> headers;

  /** By node id. */
  private final Map<String, Connection> connections = new ConcurrentHashMap<>();

  /** The names of the capabilities that at least one node has. Updates are guarded by this. */
  private volatile Set<String> announced = Set.of();

  /** The connection to one start of a node. */
  private final class Connection {
    private final NodeClient node;
    private final String processId;
    private volatile @Nullable PluginAnnouncement answer;
    private final AtomicInteger failures = new AtomicInteger();

    Connection(NodeClient node, String processId) {
      this.node = node;
      this.processId = processId;
    }

    void ask() {
      node.send(
          new NodeCall<>(
              ACTION,
              TaskId.EMPTY_TASK_ID,
              PluginAnnouncement::readFrom,
              ChannelKind.CONTROL,
              headers,
              TIMEOUT),
          Runnable::run,
          new ReplyHandler<PluginAnnouncement>() {
            @Override
            public void onReply(PluginAnnouncement reply, ReplyFrame frame) {
              answer = reply;
              updateAnnounced();
              if (isCurrent()
                  && reply.capabilities().contains(Capability.ZSTD_PAYLOADS.wireName())) {
                node.compressByZstd(processId);
              }
            }

            @Override
            public void onFailure(NodeCallException failure) {
              fail(failure);
            }
          });
    }

    private void fail(NodeCallException failure) {
      if (isAbsent(failure)) {
        answer = PluginAnnouncement.ABSENT;
        return;
      }
      LOG.debug("node {} not asked for its plugin", node.endpoint().name(), failure);
      long pause = RETRIES.delayNanos(failures.incrementAndGet());
      CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS).execute(this::askAgain);
    }

    private void askAgain() {
      if (isCurrent()) {
        ask();
      }
    }

    private boolean isCurrent() {
      return this.equals(connections.get(node.endpoint().id()));
    }
  }

  /**
   * Creates a registry that knows no node.
   *
   * @param headers sent with each call, such as credentials
   */
  public NodeCapabilityRegistry(Map<String, String> headers) {
    this.headers = Map.copyOf(headers);
  }

  @Override
  public boolean has(String nodeId, Capability capability) {
    if (!isOnAnyNode(capability)) {
      return false;
    }
    PluginAnnouncement answer = answer(nodeId);
    return answer != null && answer.capabilities().contains(capability.wireName());
  }

  @Override
  public boolean isOnAnyNode(Capability capability) {
    return announced.contains(capability.wireName());
  }

  /**
   * Runs after a connection was replaced or closed, which takes no time where none has a plugin.
   */
  private void forgetAnnounced() {
    if (!announced.isEmpty()) {
      updateAnnounced();
    }
  }

  /** Runs after each change of the connections or their answers. */
  private synchronized void updateAnnounced() {
    Set<String> all = new HashSet<>();
    for (Connection connection : connections.values()) {
      PluginAnnouncement answer = connection.answer;
      if (answer != null) {
        all.addAll(answer.capabilities());
      }
    }
    announced = Set.copyOf(all);
  }

  /** Returns what a connected node answered; null while it has not. */
  public @Nullable PluginAnnouncement answer(String nodeId) {
    Connection known = connections.get(nodeId);
    return known == null ? null : known.answer;
  }

  @Override
  public void onChannelOpened(NodeClient node, String processId) {
    Connection opened = new Connection(node, processId);
    Connection current =
        connections.compute(
            node.endpoint().id(),
            (id, known) ->
                known != null && known.node.equals(node) && known.processId.equals(processId)
                    ? known
                    : opened);
    if (current.equals(opened)) {
      forgetAnnounced();
      opened.ask();
    }
  }

  @Override
  public void onDisconnected(NodeClient node) {
    connections.computeIfPresent(
        node.endpoint().id(),
        (id, known) -> known.node.equals(node) && !node.isConnected() ? null : known);
    forgetAnnounced();
  }

  /** Returns whether a failure says that the gateway cannot use the plugin of a node. */
  private static boolean isAbsent(NodeCallException failure) {
    return failure.kind() == NodeCallException.Kind.REMOTE
        && (ExceptionsHelper.unwrap(failure.exception(), ActionNotFoundTransportException.class)
                != null
            || failure.status() == FORBIDDEN
            || failure.status() == UNAUTHORIZED);
  }
}
