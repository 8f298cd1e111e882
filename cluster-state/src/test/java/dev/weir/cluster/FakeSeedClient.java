package dev.weir.cluster;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilityRegistry;
import dev.weir.cluster.diff.StateDiffRequests;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import dev.weir.protocol.SeedClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.Build;
import org.opensearch.Version;
import org.opensearch.action.admin.cluster.node.info.NodeInfo;
import org.opensearch.action.admin.cluster.node.info.NodesInfoAction;
import org.opensearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.opensearch.action.admin.cluster.state.ClusterStateAction;
import org.opensearch.action.admin.cluster.state.ClusterStateRequest;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.action.admin.indices.datastream.GetDataStreamAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionAction;
import org.opensearch.action.support.clustermanager.term.GetTermVersionResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.ClusterStateTermVersion;
import org.opensearch.cluster.health.ClusterHealthStatus;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.transport.BoundTransportAddress;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.http.HttpInfo;
import org.opensearch.transport.ActionNotFoundTransportException;

/**
 * A fake node that answers the follower's requests through real bytes: parts of its state,
 * positions, node info, data streams. Answers each request on a virtual thread. Safe on any thread.
 */
final class FakeSeedClient implements SeedClient {
  private final DiscoveryNode node;
  private final NamedWriteableRegistry registry;

  /** A request for changes that gets no answer. */
  static final Writeable PENDING = out -> {};

  private final List<Pending<?>> waiting = new ArrayList<>();

  /** The requests, in order: {@code whole}, {@code term}, {@code nodes}, {@code info}, ... */
  final ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();

  /** The exception that the next call of an action throws in the caller. */
  final Map<String, Error> defects = new ConcurrentHashMap<>();

  /** Runs before the node answers a request for the whole state. */
  volatile Runnable onWholeRead = () -> {};

  /** The answer to a request for changes, see {@link #PENDING}; null without the plugin. */
  volatile @Nullable Writeable diffs;

  volatile boolean up = true;
  volatile boolean frozen;
  volatile boolean refusesInternal;

  /** Whether it answers 429 to requests for the term. */
  volatile boolean isOverloaded;

  volatile boolean refusesRouting;

  /** Whether requests for the whole state time out. */
  volatile boolean refusesWholeReads;

  volatile boolean refusesInfoOfOthers;
  volatile boolean restBound = true;
  volatile @Nullable Settings settings = Settings.EMPTY;
  private volatile ClusterState state;

  FakeSeedClient(DiscoveryNode node, ClusterState state, NamedWriteableRegistry registry) {
    this.node = node;
    this.state = state;
    this.registry = registry;
  }

  /** A request that waits for a metadata version. */
  private record Pending<R>(
      long version, NodeCall<R> call, Executor home, ReplyHandler<R> handler) {}

  InetSocketAddress address() {
    return node.getAddress().address();
  }

  /** Sets the node's state and answers the requests that waited for it. */
  synchronized void apply(ClusterState next) {
    state = next;
    for (Pending<?> pending : List.copyOf(waiting)) {
      if (next.metadata().version() >= pending.version()) {
        waiting.remove(pending);
        answerWaiting(pending, next);
      }
    }
  }

  private <R> void answerWaiting(Pending<R> pending, ClusterState next) {
    reply(
        pending.call(),
        pending.home(),
        pending.handler(),
        new ClusterStateResponse(next.getClusterName(), ClusterState.EMPTY_STATE, false));
  }

  long count(String what) {
    return asked.stream().filter(what::equals).count();
  }

  @Override
  public String clusterName() {
    return state.getClusterName().value();
  }

  @Override
  public NodeEndpoint endpoint() {
    return new NodeEndpoint(
        node.getId(),
        node.getEphemeralId(),
        node.getName(),
        address(),
        null,
        Set.of("data"),
        node.getAttributes(),
        node.getVersion().toString());
  }

  @Override
  public boolean isConnected() {
    return up;
  }

  @Override
  public void close() {}

  @Override
  public <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    Error defect = defects.remove(call.action());
    if (defect != null) {
      throw defect;
    }
    AtomicBoolean forgotten = new AtomicBoolean();
    Thread.startVirtualThread(() -> {
      if (!forgotten.get()) {
        answer(call, home, handler);
      }
    });
    return () -> forgotten.compareAndSet(false, true);
  }

  private <R> void answer(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    if (!up) {
      fail(home, handler, NodeCallException.Kind.CONNECTION_LOST, "connection lost");
      return;
    }
    if (frozen) {
      asked.add("frozen");
      Executor later =
          CompletableFuture.delayedExecutor(call.timeout().toMillis(), TimeUnit.MILLISECONDS);
      later.execute(() -> fail(home, handler, NodeCallException.Kind.TIMED_OUT, "timed out"));
      return;
    }
    try {
      switch (call.action()) {
        case GetTermVersionAction.NAME -> {
          asked.add("term");
          if (isOverloaded) {
            fail(
                home,
                handler,
                NodeCallException.Kind.REMOTE,
                new OpenSearchRejectedExecutionException("full"));
          } else if (refusesInternal) {
            fail(
                home,
                handler,
                NodeCallException.Kind.REMOTE,
                "no permissions for internal actions");
          } else {
            ClusterStateTermVersion position = new ClusterStateTermVersion(state);
            reply(call, home, handler, new GetTermVersionResponse(position));
          }
        }
        case ClusterStateAction.NAME -> answerState(call, home, handler);
        case NodesInfoAction.NAME -> {
          asked.add("info");
          if (refusesInfoOfOthers) {
            fail(home, handler, NodeCallException.Kind.REMOTE, "no user found");
          } else {
            reply(call, home, handler, info());
          }
        }
        case NodesInfoAction.NAME + "[n]" -> {
          asked.add("own-info");
          reply(call, home, handler, info(node));
        }
        case GetDataStreamAction.NAME -> {
          asked.add("streams");
          reply(
              call,
              home,
              handler,
              new GetDataStreamAction.Response(
                  state.metadata().dataStreams().values().stream()
                      .map(stream ->
                          new GetDataStreamAction.Response.DataStreamInfo(
                              stream, ClusterHealthStatus.GREEN, null))
                      .toList()));
        }
        case NodeCapabilityRegistry.ACTION -> answerCapabilities(call, home, handler);
        case StateDiffRequests.ACTION -> {
          asked.add("diff");
          Writeable answer = Objects.requireNonNull(diffs);
          if (!answer.equals(PENDING)) {
            reply(call, home, handler, answer);
          }
        }
        default ->
            fail(
                home,
                handler,
                NodeCallException.Kind.REMOTE,
                new ActionNotFoundTransportException(call.action()));
      }
    } catch (IOException bug) {
      throw new IllegalStateException(bug);
    }
  }

  private <R> void answerCapabilities(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    if (diffs == null) {
      fail(
          home,
          handler,
          NodeCallException.Kind.REMOTE,
          new ActionNotFoundTransportException(call.action()));
    } else {
      reply(
          call,
          home,
          handler,
          out -> {
            out.writeString("1");
            out.writeStringArray(new String[] {Capability.CLUSTER_STATE_DIFFS.wireName()});
          });
    }
  }

  private <R> void answerState(NodeCall<R> call, Executor home, ReplyHandler<R> handler)
      throws IOException {
    ClusterStateRequest request = new ClusterStateRequest(open(call.payload()));
    Long awaited = request.waitForMetadataVersion();
    if (awaited != null) {
      synchronized (this) {
        asked.add("await");
        Pending<R> pending = new Pending<>(awaited, call, home, handler);
        if (state.metadata().version() >= awaited) {
          answerWaiting(pending, state);
        } else {
          waiting.add(pending);
        }
      }
      return;
    }
    ClusterState all = state;
    asked.add(
        !request.metadata()
            ? request.routingTable() ? request.indices().length > 0 ? "routing" : "rest" : "nodes"
            : request.routingTable() ? "whole" : "metadata");
    if (refusesRouting && request.routingTable() && request.indices().length > 0) {
      fail(home, handler, NodeCallException.Kind.TIMED_OUT, "timed out");
      return;
    }
    if (request.metadata() && request.routingTable()) {
      onWholeRead.run();
      if (refusesWholeReads) {
        fail(home, handler, NodeCallException.Kind.TIMED_OUT, "timed out");
        return;
      }
    }
    ClusterState.Builder part =
        ClusterState.builder(all.getClusterName())
            .version(all.version())
            .stateUUID(all.stateUUID());
    if (request.nodes()) {
      part.nodes(all.nodes());
    }
    if (request.routingTable()) {
      part.routingTable(filter(all.routingTable(), request.indices()));
    }
    if (request.blocks()) {
      part.blocks(all.blocks());
    }
    part.metadata(
        request.metadata()
            ? all.metadata()
            : Metadata.builder()
                .clusterUUID(all.metadata().clusterUUID())
                .coordinationMetadata(all.coordinationMetadata())
                .build());
    reply(call, home, handler, new ClusterStateResponse(all.getClusterName(), part.build(), false));
  }

  private static RoutingTable filter(RoutingTable table, String[] names) {
    if (names.length == 0) {
      return table;
    }
    RoutingTable.Builder some = RoutingTable.builder();
    for (String name : names) {
      if (table.hasIndex(name)) {
        some.add(table.index(name));
      }
    }
    return some.build();
  }

  private NodesInfoResponse info() {
    List<NodeInfo> infos =
        state.nodes().getNodes().values().stream().map(this::info).collect(Collectors.toList());
    return new NodesInfoResponse(state.getClusterName(), infos, List.of());
  }

  private NodeInfo info(DiscoveryNode of) {
    return NodeInfo.builder(Version.CURRENT, Build.CURRENT, of)
        .setSettings(settings)
        .setHttp(restBound ? new HttpInfo(http(of), 100) : null)
        .build();
  }

  private static BoundTransportAddress http(DiscoveryNode of) {
    TransportAddress address =
        new TransportAddress(
            InetAddress.getLoopbackAddress(), of.getAddress().address().getPort() - 100);
    return new BoundTransportAddress(new TransportAddress[] {address}, address);
  }

  private static <R> void fail(
      Executor home, ReplyHandler<R> handler, NodeCallException.Kind kind, String why) {
    fail(home, handler, kind, new IllegalStateException(why));
  }

  private static <R> void fail(
      Executor home, ReplyHandler<R> handler, NodeCallException.Kind kind, Exception why) {
    NodeCallException failure = new NodeCallException(kind, "node", why);
    home.execute(() -> handler.onFailure(failure));
  }

  private <R> void reply(
      NodeCall<R> call, Executor home, ReplyHandler<R> handler, Writeable response) {
    try {
      R read = call.reader().read(open(response));
      home.execute(() -> handler.onReply(read, NoFrame.INSTANCE));
    } catch (IOException | RuntimeException unreadable) {
      NodeCallException failure =
          new NodeCallException(NodeCallException.Kind.MALFORMED, node.getId(), unreadable);
      home.execute(() -> handler.onFailure(failure));
    }
  }

  private StreamInput open(Writeable writeable) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      writeable.writeTo(out);
      byte[] bytes = BytesReference.toBytes(out.bytes());
      return new NamedWriteableAwareStreamInput(StreamInput.wrap(bytes), registry);
    }
  }

  /** An empty frame. */
  enum NoFrame implements ReplyFrame {
    INSTANCE;

    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 0;
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
  }
}
