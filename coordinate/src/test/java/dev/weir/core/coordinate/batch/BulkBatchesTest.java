package dev.weir.core.coordinate.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.Capability;
import dev.weir.core.coordinate.batch.RecordingNode.Message;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.NodeNotConnectedException;
import org.opensearch.transport.RemoteTransportException;

/** Parts of a bulk that share messages to a node. */
class BulkBatchesTest {
  private static final String BATCH = "indices:data/write/bulk[weir/batch]";
  private static final TaskId PARENT = new TaskId("n1", 7);

  private final RecordingNode node = new RecordingNode();
  private final List<String> outcomes = new ArrayList<>();
  private final List<NodeCallException> failures = new ArrayList<>();
  private final ShardBatches batches =
      new ShardBatches((nodeId, capability) -> capability == Capability.BULK_BATCHES, 0);

  private PendingCall send(int shard, BulkItemRequest... items) {
    BulkShardRequest request =
        new BulkShardRequest(new ShardId("logs", "uuid", shard), RefreshPolicy.NONE, items);
    request.setParentTask(PARENT);
    return batches.send(
        node,
        new NodeCall<>(
            TransportShardBulkAction.ACTION_NAME,
            request,
            StreamInput::readString,
            ChannelKind.BULK,
            Map.of("user", "alice"),
            Duration.ZERO),
        Runnable::run,
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            outcomes.add(shard + ": " + reply);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            outcomes.add(shard + ": " + failure.kind());
            failures.add(failure);
          }
        });
  }

  private PendingCall send(int shard) {
    return send(shard, new BulkItemRequest(0, new DeleteRequest("logs", "id-" + shard)));
  }

  private void sendThree() {
    send(0);
    send(1);
    send(2);
    batches.flush();
  }

  private Message<?> only() {
    assertThat(node.messages).hasSize(1);
    return node.messages.getFirst();
  }

  /** Reads the shards of a message as the plugin does. */
  private static List<Integer> shards(Message<?> message) throws IOException {
    StreamInput in = message.payload();
    assertThat(TaskId.readFromStream(in)).isEqualTo(PARENT);
    assertThat(in.readVInt()).as("bytes of a response").isPositive();
    assertThat(in.readVInt()).as("milliseconds").isPositive();
    List<Integer> shards = new ArrayList<>();
    while (in.readBoolean()) {
      BulkShardRequest part = new BulkShardRequest(in);
      assertThat(part.getParentTask()).isEqualTo(PARENT);
      shards.add(part.shardId().id());
    }
    assertThat(in.available()).isZero();
    return shards;
  }

  /** The plugin's {@code BulkBatchResponse}; a failure's text begins with an exclamation mark. */
  private static Writeable response(boolean more, Map<Integer, String> results) {
    return out -> {
      out.writeBoolean(more);
      if (more) {
        out.writeLong(99);
      }
      out.writeVInt(results.size());
      for (int place : results.keySet()) {
        out.writeVInt(place);
      }
      for (String text : results.values()) {
        BytesStreamOutput bytes = new BytesStreamOutput();
        boolean failed = text.startsWith("!");
        if (failed) {
          bytes.writeException(new RemoteTransportException("n", new IOException(text)));
        } else {
          bytes.writeString(text);
        }
        out.writeBoolean(failed);
        out.writeBytesReference(bytes.bytes());
      }
    };
  }

  private static void assertNext(Message<?> message, boolean wanted) throws IOException {
    assertThat(message.call.action()).isEqualTo("indices:data/write/bulk[weir/batch/next]");
    StreamInput asked = message.payload();
    assertThat(TaskId.readFromStream(asked)).isEqualTo(PARENT);
    assertThat(asked.readLong()).isEqualTo(99);
    assertThat(asked.readBoolean()).as("wanted").isEqualTo(wanted);
  }

  @Test
  void sendsPartsToANodeInOneMessage() throws IOException {
    send(0);
    send(1);
    send(2);
    assertThat(node.messages).isEmpty();
    batches.flush();
    assertThat(only().call.action()).isEqualTo(BATCH);
    assertThat(only().call.kind()).isEqualTo(ChannelKind.BULK);
    assertThat(only().call.headers()).isEqualTo(Map.of("user", "alice"));
    assertThat(shards(only())).containsExactly(0, 1, 2);
    only().reply(response(false, Map.of(0, "a", 1, "!no", 2, "c")));
    assertThat(outcomes).containsExactlyInAnyOrder("0: a", "1: REMOTE", "2: c");
    assertThat(failures.getFirst().exception()).hasRootCauseMessage("!no");
  }

  @Test
  void sendsASinglePartAsItIs() throws IOException {
    send(0);
    PendingCall left = send(1);
    assertThat(left.abandon()).isTrue();
    batches.flush();
    assertThat(only().call.action()).isEqualTo(TransportShardBulkAction.ACTION_NAME);
    only().reply(out -> out.writeString("alone"));
    assertThat(outcomes).containsExactly("0: alone");
  }

  @Test
  void sendsToANodeWithoutThePluginAtOnce() {
    ShardBatches stock = new ShardBatches((nodeId, capability) -> false, 0);
    stock.send(
        node,
        new NodeCall<>(
            TransportShardBulkAction.ACTION_NAME,
            new BulkShardRequest(
                new ShardId("logs", "uuid", 0), RefreshPolicy.NONE, new BulkItemRequest[0]),
            StreamInput::readString,
            ChannelKind.BULK,
            Map.of(),
            Duration.ZERO),
        Runnable::run,
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {}

          @Override
          public void onFailure(NodeCallException failure) {}
        });
    assertThat(only().call.action()).isEqualTo(TransportShardBulkAction.ACTION_NAME);
  }

  @Test
  void splitsManyBytesIntoSeveralMessages() throws IOException {
    byte[] source = new byte[1 << 20];
    for (int shard = 0; shard < 7; shard++) {
      send(
          shard,
          new BulkItemRequest(
              0, new IndexRequest("logs").id("1").source(source, XContentType.JSON)));
    }
    batches.flush();
    assertThat(node.messages).hasSize(3);
    assertThat(shards(node.messages.get(0))).containsExactly(0, 1, 2);
    assertThat(shards(node.messages.get(1))).containsExactly(3, 4, 5);
    assertThat(node.messages.get(2).call.action()).isEqualTo(TransportShardBulkAction.ACTION_NAME);
  }

  @Test
  void asksForTheOtherResults() throws IOException {
    sendThree();
    only().reply(response(true, Map.of(1, "b")));
    assertThat(outcomes).containsExactly("1: b");
    assertNext(node.messages.get(1), true);
    node.messages.get(1).reply(response(false, Map.of(0, "a", 2, "c")));
    assertThat(outcomes).hasSize(3).contains("0: a", "2: c");
    assertThat(node.messages).hasSize(2);
  }

  @Test
  void letsTheNodeDropResultsThatNobodyWaitsFor() throws IOException {
    PendingCall first = send(0);
    send(1);
    batches.flush();
    assertThat(first.abandon()).isTrue();
    only().reply(response(true, Map.of(1, "b")));
    assertNext(node.messages.get(1), false);
    assertThat(outcomes).containsExactly("1: b");
  }

  @Test
  void leavesUnknownWhatWasNotAnsweredWhenTheConnectionIsLost() throws IOException {
    sendThree();
    only().reply(response(true, Map.of(1, "b")));
    node.messages.get(1).fail(Kind.CONNECTION_LOST, new NodeDisconnectedException(null, "lost"));
    assertThat(outcomes).containsExactly("1: b", "0: CONNECTION_LOST", "2: CONNECTION_LOST");
    assertThat(node.messages).as("nothing is sent again").hasSize(2);
  }

  /** The parts may have been done although their results can't be had. */
  @Test
  void leavesUnknownWhatTheNodeDoesNotKnow() throws IOException {
    sendThree();
    only().reply(response(true, Map.of(1, "b")));
    node.messages.get(1).fail(Kind.REMOTE, new NodeNotConnectedException(null, "n1"));
    assertThat(outcomes).containsExactly("1: b", "0: CONNECTION_LOST", "2: CONNECTION_LOST");
    assertThat(node.messages).hasSize(2);
  }

  /** The node keeps the results, and the connection that the parts went by may be open. */
  @Test
  void asksAgainByTheOtherConnectionIfItCouldNotAsk() throws IOException {
    sendThree();
    only().reply(response(true, Map.of(1, "b")));
    node.messages.get(1).fail(Kind.NOT_SENT, new NodeNotConnectedException(null, "n1"));
    assertThat(outcomes).containsExactly("1: b");
    assertNext(node.messages.get(2), true);
    assertThat(node.messages.get(1).call.kind()).isEqualTo(ChannelKind.READ);
    assertThat(node.messages.get(2).call.kind()).isEqualTo(ChannelKind.BULK);
    node.messages.get(2).reply(response(true, Map.of(0, "a")));
    assertThat(outcomes).containsExactly("1: b", "0: a");

    node.messages.get(3).fail(Kind.NOT_SENT, new NodeNotConnectedException(null, "n1"));
    assertNext(node.messages.get(4), true);
    node.messages.get(4).fail(Kind.NOT_SENT, new NodeNotConnectedException(null, "n1"));
    assertThat(outcomes).containsExactly("1: b", "0: a", "2: CONNECTION_LOST");
    assertThat(node.messages).as("asks no more").hasSize(5);
  }

  @Test
  void failsEachPartWithTheMessage() {
    for (Kind kind : List.of(Kind.NOT_SENT, Kind.CONNECTION_LOST, Kind.MALFORMED)) {
      outcomes.clear();
      node.messages.clear();
      sendThree();
      only().fail(kind, new NodeDisconnectedException(null, "lost"));
      assertThat(outcomes).containsExactly("0: " + kind, "1: " + kind, "2: " + kind);
      assertThat(node.messages).as("nothing is sent again").hasSize(1);
    }
  }

  @Test
  void namesThePartInARejectionByTheBreakerOfTheNode() {
    sendThree();
    only()
        .fail(
            Kind.REMOTE,
            new RemoteTransportException(
                "[n1][" + BATCH + "]",
                new CircuitBreakingException(
                    "[in_flight_requests] Data too large, data for [" + BATCH + "]",
                    3,
                    2,
                    CircuitBreaker.Durability.TRANSIENT)));
    assertThat(failures).hasSize(3);
    assertThat(failures.getFirst().exception())
        .isInstanceOf(RemoteTransportException.class)
        .cause()
        .isInstanceOf(CircuitBreakingException.class)
        .hasNoCause()
        .hasMessageEndingWith("data for [indices:data/write/bulk[s]]");
    assertThat(failures.getFirst().exception().toString()).doesNotContain("weir");
  }

  @Test
  void sendsEachAloneToANodeThatHasLostThePlugin() throws IOException {
    sendThree();
    only()
        .fail(
            Kind.REMOTE,
            new RemoteTransportException("n1", new ActionNotFoundTransportException(BATCH)));
    assertThat(node.messages).hasSize(4);
    node.messages.get(2).reply(out -> out.writeString("ok"));
    assertThat(outcomes).containsExactly("1: ok");
  }

  private static void refuse(Message<?> message, Writeable beginning) throws IOException {
    message
        .handler()
        .onFailure(
            new NodeCallException(
                Kind.OVER_BUDGET,
                "n1",
                new CircuitBreakingException("full", CircuitBreaker.Durability.TRANSIENT),
                BytesReference.toBytes(RecordingNode.written(beginning))));
  }

  @Test
  void failsOnlyTheResultsThatAreOverTheMemoryLimit() throws IOException {
    sendThree();
    refuse(only(), response(true, Map.of(1, "b")));
    assertThat(outcomes).containsExactly("1: OVER_BUDGET");
    assertNext(node.messages.get(1), true);
    refuse(node.messages.get(1), out -> out.writeByte((byte) 1));
    assertThat(outcomes)
        .as("any may be in a response that shows nothing")
        .containsExactly("1: OVER_BUDGET", "0: OVER_BUDGET", "2: OVER_BUDGET");
  }

  @Test
  void failsAPartWithoutAResult() throws IOException {
    sendThree();
    only().reply(response(false, Map.of(0, "a", 2, "c")));
    assertThat(outcomes).hasSize(3).contains("1: MALFORMED");
  }

  @Test
  void forgetsTheMessageWithItsLastPart() {
    PendingCall a = send(0);
    PendingCall b = send(1);
    batches.flush();
    a.abandon();
    assertThat(only().abandoned).isFalse();
    b.abandon();
    assertThat(only().abandoned).isTrue();
  }
}
