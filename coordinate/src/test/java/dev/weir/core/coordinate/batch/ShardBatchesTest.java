package dev.weir.core.coordinate.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.core.coordinate.batch.RecordingNode.Message;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.IgnoredReply;
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
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.SearchContextMissingException;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportRequest;

/** Calls of a search that share messages to a node. */
class ShardBatchesTest {
  private static final String FETCH = SearchTransportService.FETCH_ID_ACTION_NAME;
  private static final String FREE = SearchTransportService.FREE_CONTEXT_ACTION_NAME;
  private static final TaskId PARENT = new TaskId("n1", 7);

  private final RecordingNode node = new RecordingNode();
  private final List<String> outcomes = new ArrayList<>();
  private final List<NodeCallException> failures = new ArrayList<>();
  private ShardBatches batches = new ShardBatches((nodeId, capability) -> true, 0);

  /** A request with a parent task and a text; without text it can't be written. */
  private static final class TextRequest extends TransportRequest {
    private final String text;

    TextRequest(String text) {
      this.text = text;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      if (text.isEmpty()) {
        throw new IOException("got no text");
      }
      out.writeString(text);
    }
  }

  private PendingCall send(String action, String text, Writeable.Reader<String> reader) {
    return send(
        action,
        text,
        reader,
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            outcomes.add(text + ": " + reply + " of " + frame.wireBytes());
            frame.retain();
          }

          @Override
          public void onFailure(NodeCallException failure) {
            outcomes.add(text + ": " + failure.kind());
            failures.add(failure);
          }
        });
  }

  private PendingCall send(
      String action, String text, Writeable.Reader<String> reader, ReplyHandler<String> handler) {
    TextRequest request = new TextRequest(text);
    if (action.equals(FETCH)) {
      request.setParentTask(PARENT);
    }
    return batches.send(
        node,
        new NodeCall<>(action, request, reader, ChannelKind.READ, Map.of(), Duration.ZERO),
        Runnable::run,
        handler);
  }

  private PendingCall fetch(String text) {
    return send(FETCH, text, StreamInput::readString);
  }

  private Message<?> only() {
    assertThat(node.messages).hasSize(1);
    return node.messages.getFirst();
  }

  /** A result of a request; the plugin's {@code ShardBatchResponse} has several. */
  private static Writeable result(int place, boolean failed, Writeable written) {
    return out -> {
      BytesStreamOutput bytes = new BytesStreamOutput();
      written.writeTo(bytes);
      out.writeVInt(place);
      out.writeBoolean(failed);
      out.writeBytesReference(bytes.bytes());
    };
  }

  private static Writeable answer(int place, String text) {
    return result(place, false, out -> out.writeString(text));
  }

  private static Writeable response(boolean more, Writeable... results) {
    return out -> {
      out.writeBoolean(more);
      if (more) {
        out.writeLong(99);
      }
      out.writeVInt(0); // no beginnings
      out.writeVInt(results.length);
      for (Writeable result : results) {
        result.writeTo(out);
      }
    };
  }

  @Test
  void sendsCallsToANodeInOneMessage() throws IOException {
    fetch("a");
    send(FREE, "b", StreamInput::readString);
    fetch("c");
    assertThat(node.messages).isEmpty();
    batches.flush();
    assertThat(only().call.action()).isEqualTo("indices:data/read/search[weir/batch]");
    assertThat(only().content().actions()).containsExactly(FETCH, FREE, FETCH);
    assertThat(only().content().texts()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(only().content().parent()).isEqualTo(PARENT.toString());
    assertThat(only().content().maxWaitMillis()).as("waits for all").isZero();

    only().reply(response(false, answer(2, "three"), answer(0, "o"), answer(1, "tw")));
    assertThat(outcomes).containsExactly("c: three of 6", "a: o of 2", "b: tw of 3");
    assertThat(node.retained).isEqualTo(3);
  }

  @Test
  void chargesResultsToTheirRequestWhereverAFreeStands() {
    ReplyHandler<String> fetching =
        new ReplyHandler<>() {
          @Override
          public FrameBudget budget() {
            return FrameBudget.UNLIMITED;
          }

          @Override
          public void onReply(String reply, ReplyFrame frame) {}

          @Override
          public void onFailure(NodeCallException failure) {}
        };
    send(FREE, "b", StreamInput::readString, IgnoredReply.deferrable());
    send(FETCH, "a", StreamInput::readString, fetching);
    send(FREE, "c", StreamInput::readString, IgnoredReply.deferrable());
    batches.flush();
    assertThat(only().handler().budget()).isSameAs(FrameBudget.UNLIMITED);
  }

  @Test
  void boundsTheQueriesThatANodeCarriesOutAtATime() throws IOException {
    batches = new ShardBatches((nodeId, capability) -> !nodeId.equals("stock"), 3);
    assertThat(batches.hasRoom("n1")).isTrue();
    assertThat(batches.hasRoom("stock")).isFalse();
    for (int i = 0; i < 512; i++) {
      send(SearchTransportService.QUERY_ACTION_NAME, "query " + i, StreamInput::readString);
    }
    assertThat(batches.hasRoom("n1")).as("after 512").isFalse();
    fetch("a");
    fetch("b");
    batches.flush();
    assertThat(node.messages.getFirst().content().maxRunning()).isEqualTo(3);
    assertThat(node.messages.getLast().content().maxRunning()).as("of fetches").isZero();
    assertThat(new ShardBatches((nodeId, capability) -> true, 0).hasRoom("n1")).isFalse();
  }

  @Test
  void sendsOtherCallsAtOnce() {
    send(SearchTransportService.DFS_ACTION_NAME, "a", StreamInput::readString);
    assertThat(only().call.action()).isEqualTo(SearchTransportService.DFS_ACTION_NAME);
    batches = new ShardBatches(NodeCapabilities.NONE, 0);
    fetch("b");
    assertThat(node.messages).hasSize(2);
    assertThat(node.messages.getLast().call.action()).isEqualTo(FETCH);
  }

  @Test
  void sendsASingleCallAsItIs() throws IOException {
    PendingCall call = fetch("a");
    PendingCall other = fetch("b");
    assertThat(other.abandon()).isTrue();
    batches.flush();
    assertThat(only().call.action()).isEqualTo(FETCH);
    only().reply(out -> out.writeString("alone"));
    assertThat(outcomes).containsExactly("a: alone of 6");
    assertThat(call.abandon()).isTrue();
    assertThat(only().abandoned).isTrue();
  }

  @Test
  void failsAShardAlone() throws IOException {
    fetch("lost");
    fetch("fine");
    fetch("short");
    send(
        FETCH,
        "large",
        in -> {
          throw new CircuitBreakingException("full", CircuitBreaker.Durability.TRANSIENT);
        });
    fetch("missing");
    fetch("");
    batches.flush();
    assertThat(only().content().actions()).hasSize(5);
    SearchContextMissingException lost =
        new SearchContextMissingException(new ShardSearchContextId("session", 3));
    only()
        .reply(
            response(
                false,
                result(0, true, out -> out.writeException(new RemoteTransportException("n", lost))),
                answer(1, "ok"),
                result(2, false, out -> out.writeVInt(100)),
                answer(3, "abc")));
    assertThat(outcomes)
        .containsExactly(
            ": NOT_SENT",
            "lost: REMOTE",
            "fine: ok of 3",
            "short: MALFORMED",
            "large: OVER_BUDGET",
            "missing: MALFORMED");
    assertThat(failures.get(1).exception()).hasRootCauseInstanceOf(lost.getClass());
    assertThat(failures.get(3).payloadPrefix()).containsExactly(3, 'a', 'b', 'c');
  }

  @Test
  void failsACallAloneWhoseReaderThrowsAnError() throws IOException {
    send(
        FETCH,
        "unknown class",
        in -> {
          throw new NoClassDefFoundError("on purpose");
        });
    send(
        FETCH,
        "large",
        in -> {
          throw new OutOfMemoryError("no heap, on purpose");
        });
    fetch("fine");
    batches.flush();
    only().reply(response(false, answer(0, "a"), answer(1, "abc"), answer(2, "ok")));
    assertThat(outcomes)
        .containsExactly("unknown class: MALFORMED", "large: OVER_BUDGET", "fine: ok of 3");
    assertThat(failures.getFirst().exception()).hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(failures.getLast().status()).isEqualTo(429);
    assertThat(failures.getLast().payloadPrefix()).containsExactly(3, 'a', 'b', 'c');
  }

  @Test
  void asksForTheNextPart() throws IOException {
    fetch("a");
    fetch("b");
    batches.flush();
    only().reply(response(true, answer(1, "second")));
    assertThat(outcomes).containsExactly("b: second of 7");
    Message<?> next = node.messages.get(1);
    assertThat(next.call.action()).isEqualTo("indices:data/read/search[weir/batch/next]");
    StreamInput asked = next.payload();
    assertThat(TaskId.readFromStream(asked)).isEqualTo(PARENT);
    assertThat(asked.readLong()).isEqualTo(99);
    assertThat(asked.readBoolean()).as("wanted").isTrue();
    next.reply(response(false, answer(0, "first")));
    assertThat(outcomes).containsExactly("b: second of 7", "a: first of 6");
    assertThat(node.messages).hasSize(2);
  }

  @Test
  void letsTheNodeDropPartsThatNobodyWaitsFor() throws IOException {
    PendingCall first = fetch("a");
    fetch("b");
    batches.flush();
    assertThat(first.abandon()).isTrue();
    only().reply(response(true, answer(1, "second")));
    assertDrops(node.messages.get(1));
    assertThat(outcomes).containsExactly("b: second of 7");
  }

  /** A node refuses tasks whose parent is cancelled, so the message has none. */
  private static void assertDrops(Message<?> message) throws IOException {
    StreamInput dropping = message.payload();
    assertThat(TaskId.readFromStream(dropping)).isEqualTo(TaskId.EMPTY_TASK_ID);
    assertThat(dropping.readLong()).isEqualTo(99);
    assertThat(dropping.readBoolean()).as("wanted").isFalse();
  }

  @Test
  void letsTheNodeDropPartsOfACancelledSearch() throws IOException {
    fetch("a");
    fetch("b");
    batches.flush();
    only().reply(response(true, answer(1, "second")));
    node.messages
        .get(1)
        .fail(Kind.REMOTE, new RemoteTransportException("n1", new TaskCancelledException("ended")));
    assertThat(outcomes).containsExactly("b: second of 7", "a: REMOTE");
    assertThat(node.messages).hasSize(3);
    assertDrops(node.messages.get(2));
  }

  @Test
  void readsNoResultOfAnAbandonedCall() throws IOException {
    PendingCall call = fetch("a");
    fetch("b");
    batches.flush();
    assertThat(call.abandon()).isTrue();
    assertThat(call.abandon()).isFalse();
    assertThat(only().abandoned).isFalse();
    only().reply(response(false, result(0, false, out -> {}), answer(1, "ok")));
    assertThat(outcomes).containsExactly("b: ok of 3");
    assertThat(node.retained).isEqualTo(1);
  }

  @Test
  void forgetsTheMessageWithItsLastCall() {
    PendingCall a = fetch("a");
    PendingCall b = fetch("b");
    batches.flush();
    a.abandon();
    assertThat(only().abandoned).isFalse();
    b.abandon();
    assertThat(only().abandoned).isTrue();
  }

  @Test
  void failsEachCallWithTheMessage() {
    fetch("a");
    fetch("b");
    batches.flush();
    only().fail(Kind.CONNECTION_LOST, new NodeDisconnectedException(null, "lost"));
    assertThat(outcomes).containsExactly("a: CONNECTION_LOST", "b: CONNECTION_LOST");
  }

  @Test
  void answersQueriesInWaves() throws IOException {
    query("a");
    fetch("b");
    query("c");
    batches.flush();
    assertThat(node.messages).as("fetches wait for no query").hasSize(2);
    assertThat(node.messages.getFirst().content().texts()).containsExactlyInAnyOrder("a", "c");
    assertThat(node.messages.getFirst().content().maxWaitMillis()).isPositive();
    node.messages.getFirst().reply(response(true, answer(1, "first")));
    node.messages.getLast().reply(response(false, answer(0, "second")));
    assertThat(outcomes).containsExactly("c: first of 6", "a: second of 7");
  }

  private void query(String text) {
    send(SearchTransportService.QUERY_ACTION_NAME, text, StreamInput::readString);
  }

  /** A refused response, of which only the beginning was read. */
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
  void showsTheContextOfEachResultThatIsOverTheMemoryLimit() throws IOException {
    query("a");
    query("b");
    query("c");
    batches.flush();
    refuse(
        only(),
        out -> {
          out.writeBoolean(true);
          out.writeLong(99);
          out.writeVInt(2);
          out.writeVInt(2);
          out.writeByteArray(new byte[] {7});
          out.writeVInt(0);
          out.writeByteArray(new byte[] {8, 9});
          out.writeVInt(2); // the results
        });
    assertThat(outcomes).containsExactly("a: OVER_BUDGET", "c: OVER_BUDGET");
    assertThat(failures.getFirst().payloadPrefix()).containsExactly(8, 9);
    assertThat(failures.getLast().payloadPrefix()).containsExactly(7);
    node.messages.getLast().reply(response(false, answer(1, "ok")));
    assertThat(outcomes).hasSize(3).endsWith("b: ok of 3");
  }

  @Test
  void failsAllOfAResponseWhoseBeginningIsUnknown() throws IOException {
    fetch("a");
    fetch("b");
    batches.flush();
    refuse(only(), out -> out.writeByte((byte) 1));
    assertThat(node.messages).hasSize(1);
    assertThat(failures).hasSize(2).allMatch(failure -> failure.payloadPrefix().length == 0);
  }

  @Test
  void sendsEachAloneToANodeThatHasLostThePlugin() throws IOException {
    fetch("a");
    fetch("b");
    batches.flush();
    only()
        .fail(
            Kind.REMOTE,
            new RemoteTransportException("n1", new ActionNotFoundTransportException("batch")));
    assertThat(node.messages).hasSize(3);
    node.messages.get(2).reply(out -> out.writeString("ok"));
    node.messages.get(1).reply(out -> out.writeString("ok"));
    assertThat(outcomes).containsExactly("b: ok of 3", "a: ok of 3");
  }
}
