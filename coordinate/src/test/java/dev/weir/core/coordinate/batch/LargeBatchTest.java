package dev.weir.core.coordinate.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.batch.RecordingNode.Message;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
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
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.TransportRequest;

/** Queries that do not fit into one message to their node. */
class LargeBatchTest {
  private static final int MAX_RUNNING = 3;
  private static final String PADDING = "x".repeat(1 << 20);

  private final RecordingNode node = new RecordingNode();
  private final List<String> outcomes = new ArrayList<>();
  private final ShardBatches batches = new ShardBatches((nodeId, capability) -> true, MAX_RUNNING);

  /** A query of a megabyte. */
  private static final class LargeQuery extends TransportRequest {
    private final int number;

    LargeQuery(int number) {
      this.number = number;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      out.writeString(number + PADDING);
    }
  }

  private List<PendingCall> sendQueries(int count) {
    List<PendingCall> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      calls.add(
          batches.send(
              node,
              new NodeCall<>(
                  SearchTransportService.QUERY_ACTION_NAME,
                  new LargeQuery(number),
                  StreamInput::readString,
                  ChannelKind.READ,
                  Map.of(),
                  Duration.ZERO),
              Runnable::run,
              new ReplyHandler<>() {
                @Override
                public void onReply(String reply, ReplyFrame frame) {
                  outcomes.add(reply);
                }

                @Override
                public void onFailure(NodeCallException failure) {
                  outcomes.add(number + ": " + failure.kind());
                }
              }));
    }
    batches.flush();
    return calls;
  }

  /** Answers a message with a text for each of its queries. */
  private static void answer(Message<?> message, int queries, String text) throws IOException {
    Writeable result = out -> out.writeString(text);
    BytesStreamOutput bytes = new BytesStreamOutput();
    result.writeTo(bytes);
    message.reply(out -> {
      out.writeBoolean(false);
      out.writeVInt(0); // no beginnings
      out.writeVInt(queries);
      for (int place = 0; place < queries; place++) {
        out.writeVInt(place);
        out.writeBoolean(false);
        out.writeBytesReference(bytes.bytes());
      }
    });
  }

  @Test
  void sendWhatDoesNotFitAfterTheOthers() throws IOException {
    sendQueries(12);
    assertThat(node.messages).hasSize(1);
    int first = node.messages.getFirst().content().actions().size();
    assertThat(first).isBetween(2, 11);

    answer(node.messages.getFirst(), first, "first");
    assertThat(outcomes).hasSize(first).containsOnly("first");
    assertThat(node.messages).hasSize(2);
    assertThat(node.messages.getLast().content().actions()).hasSize(12 - first);
    assertThat(node.messages.getLast().content().maxRunning()).isEqualTo(MAX_RUNNING);

    answer(node.messages.getLast(), 12 - first, "later");
    assertThat(outcomes.subList(first, 12)).containsOnly("later");
    assertThat(node.messages).hasSize(2);
  }

  @Test
  void sendWhatDoesNotFitAfterAFailure() throws IOException {
    sendQueries(12);
    int first = node.messages.getFirst().content().actions().size();
    node.messages
        .getFirst()
        .fail(
            NodeCallException.Kind.CONNECTION_LOST, new ConnectTransportException(null, "closed"));
    assertThat(outcomes).hasSize(first);
    assertThat(node.messages).hasSize(2);
    answer(node.messages.getLast(), 12 - first, "later");
    assertThat(outcomes).hasSize(12);
  }

  @Test
  void sendWhatDoesNotFitWhenNobodyWaitsForTheOthers() throws IOException {
    List<PendingCall> calls = sendQueries(12);
    int first = node.messages.getFirst().content().actions().size();
    calls.subList(0, first).forEach(PendingCall::abandon);
    assertThat(node.messages.getFirst().abandoned).isTrue();
    assertThat(node.messages).hasSize(2);
    calls.subList(first, 12).forEach(PendingCall::abandon);
    assertThat(node.messages.getLast().abandoned).isTrue();
    assertThat(outcomes).isEmpty();
  }

  @Test
  void sendNothingMoreOfASearchThatNobodyWaitsFor() throws IOException {
    List<PendingCall> calls = sendQueries(12);
    calls.reversed().forEach(PendingCall::abandon);
    assertThat(node.messages).hasSize(1);
    assertThat(node.messages.getFirst().abandoned).isTrue();
  }
}
