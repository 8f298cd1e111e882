package dev.weir.cluster.capability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.opensearch.transport.RemoteTransportException;

/** What a registry knows about a node whose answers the test gives. */
final class NodeCapabilityRegistryTest {
  private static final String ID = "id-1";

  private final NodeCapabilityRegistry registry = new NodeCapabilityRegistry(Map.of("h", "v"));
  private final AskedNode node = new AskedNode();

  /** A node that keeps each request until the test answers it. */
  private static final class AskedNode implements NodeClient {
    private final LinkedBlockingQueue<Asked<?>> asked = new LinkedBlockingQueue<>();
    private final List<String> zstd = new ArrayList<>();
    private boolean connected = true;

    private record Asked<R>(NodeCall<R> call, ReplyHandler<R> handler) {
      void fail(NodeCallException.Kind kind, Exception cause) {
        handler.onFailure(new NodeCallException(kind, ID, cause));
      }
    }

    @Override
    public NodeEndpoint endpoint() {
      return new NodeEndpoint(
          ID, "", "node-1", new InetSocketAddress(1), null, Set.of(), Map.of(), "");
    }

    @Override
    public <R> PendingCall send(NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
      asked.add(new Asked<>(call, handler));
      return () -> true;
    }

    @Override
    public void compressByZstd(String processId) {
      zstd.add(processId);
    }

    @Override
    public boolean isConnected() {
      return connected;
    }

    Asked<?> next() throws InterruptedException {
      return Objects.requireNonNull(asked.poll(1, TimeUnit.MINUTES), "no request in time");
    }
  }

  private static <R> void announce(AskedNode.Asked<R> asked, String version, String... names)
      throws Exception {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(version);
      out.writeStringArray(names);
      out.writeString("from a later version");
      StreamInput in = out.bytes().streamInput();
      R reply = asked.call().reader().read(in);
      assertThat(in.available()).isZero();
      asked.handler().onReply(reply, EmptyFrame.INSTANCE);
    }
  }

  /** A frame without slices. */
  private enum EmptyFrame implements ReplyFrame {
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

  @Test
  void askOnceForEachStartOfANode() throws Exception {
    registry.onChannelOpened(node, "start-1");
    registry.onChannelOpened(node, "start-1");

    AskedNode.Asked<?> asked = node.next();
    assertThat(node.asked).isEmpty();
    assertThat(asked.call().action()).isEqualTo("cluster:monitor/weir/capabilities");
    assertThat(asked.call().headers()).containsEntry("h", "v");
    assertThat(registry.answer(ID)).isNull();
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isFalse();

    announce(asked, "1.2", "cluster-state-diffs", "from-a-later-version");
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isTrue();
    assertThat(registry.answer(ID))
        .isEqualTo(
            new PluginAnnouncement("1.2", Set.of("cluster-state-diffs", "from-a-later-version")));
    assertThat(registry.has("id-2", Capability.CLUSTER_STATE_DIFFS)).isFalse();
  }

  @Test
  void compressByZstdForTheStartThatAnnouncedIt() throws Exception {
    registry.onChannelOpened(node, "start-1");
    AskedNode.Asked<?> first = node.next();
    announce(first, "1.2", "zstd-payloads");
    registry.onChannelOpened(node, "start-2");
    AskedNode.Asked<?> second = node.next();
    assertThat(node.zstd).containsExactly("start-1");

    announce(second, "1.2", "zstd-payloads");
    announce(first, "1.2", "zstd-payloads"); // late
    registry.onChannelOpened(node, "start-3");
    announce(node.next(), "1.1", "cluster-state-diffs");
    assertThat(node.zstd).containsExactly("start-1", "start-2");
  }

  @Test
  void forgetTheAnswerOfAnEarlierStart() throws Exception {
    registry.onChannelOpened(node, "start-1");
    AskedNode.Asked<?> first = node.next();
    announce(first, "1.2", "cluster-state-diffs");

    registry.onChannelOpened(node, "start-2");
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isFalse();
    announce(first, "1.2", "cluster-state-diffs"); // late
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isFalse();
    announce(node.next(), "1.3");
    assertThat(registry.answer(ID)).isEqualTo(new PluginAnnouncement("1.3", Set.of()));
  }

  @Test
  void forgetTheAnswerWithTheConnection() throws Exception {
    registry.onChannelOpened(node, "start-1");
    announce(node.next(), "1.2", "cluster-state-diffs");
    registry.onDisconnected(node); // another channel has opened in the meantime
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isTrue();

    node.connected = false;
    registry.onDisconnected(new AskedNode()); // an earlier client of the same node
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isTrue();
    registry.onDisconnected(node);
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isFalse();
    assertThat(registry.answer(ID)).isNull();

    registry.onChannelOpened(node, "start-1");
    announce(node.next(), "1.2", "cluster-state-diffs");
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isTrue();
  }

  @Test
  void knowWhetherAnyNodeHasACapability() throws Exception {
    assertThat(registry.isOnAnyNode(Capability.SHARD_BATCHES)).isFalse();
    registry.onChannelOpened(node, "start-1");
    announce(node.next(), "1.2", "shard-batches");
    assertThat(registry.isOnAnyNode(Capability.SHARD_BATCHES)).isTrue();
    assertThat(registry.isOnAnyNode(Capability.BULK_BATCHES)).isFalse();

    registry.onChannelOpened(node, "start-2");
    assertThat(registry.isOnAnyNode(Capability.SHARD_BATCHES)).isFalse();
    announce(node.next(), "1.2", "bulk-batches");
    assertThat(registry.isOnAnyNode(Capability.BULK_BATCHES)).isTrue();

    node.connected = false;
    registry.onDisconnected(node);
    assertThat(registry.isOnAnyNode(Capability.BULK_BATCHES)).isFalse();
  }

  @Test
  void takeANodeThatCannotAnswerForOneWithoutThePlugin() throws Exception {
    for (Exception error :
        List.of(
            new ActionNotFoundTransportException("cluster:monitor/weir/capabilities"),
            new OpenSearchStatusException("no permissions", RestStatus.FORBIDDEN),
            new OpenSearchStatusException("who are you", RestStatus.UNAUTHORIZED))) {
      registry.onChannelOpened(node, error.toString());
      node.next()
          .fail(NodeCallException.Kind.REMOTE, new RemoteTransportException("node-1", error));
      assertThat(registry.answer(ID)).as("%s", error).isEqualTo(PluginAnnouncement.ABSENT);
    }
  }

  @Test
  void askAgainAfterAFailureThatSaysNothing() throws Exception {
    registry.onChannelOpened(node, "start-1");
    node.next().fail(NodeCallException.Kind.TIMED_OUT, new IllegalStateException("late"));
    assertThat(registry.answer(ID)).isNull();

    announce(node.next(), "1.2", "cluster-state-diffs");
    assertThat(registry.has(ID, Capability.CLUSTER_STATE_DIFFS)).isTrue();
  }
}
