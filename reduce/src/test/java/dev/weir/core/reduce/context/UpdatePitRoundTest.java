package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCallException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.tasks.TaskCancelledException;

class UpdatePitRoundTest {
  private final RequestContext request = new RequestContext(Runnable::run, 1, Map.of());

  private UpdatePitRound round(String nodeId) {
    return round("id", nodeId);
  }

  private UpdatePitRound round(String pitId, String nodeId) {
    return new UpdatePitRound(
        SearchFixture.caller(),
        new CreatePitResponse(pitId, 1, 1, 1, 0, 0, ShardSearchFailure.EMPTY_ARRAY),
        TimeValue.timeValueMinutes(1),
        List.of(new SearchContextIdForNode(null, nodeId, SearchFixture.contextId(1))),
        SearchFixture.scope(new SearchRequest("docs"), 1).state().nodes(),
        request);
  }

  @Test
  void failWithTheFirstFailure() {
    UpdatePitRound round = round("n0");
    assertThat(round.failure()).isNull();
    OpenSearchException cause = new OpenSearchException("odd");
    round.onFailure(0, new NodeCallException(NodeCallException.Kind.REMOTE, "n0", cause));
    assertThat(round.failure()).isSameAs(cause);
  }

  @Test
  void refuseANodeThatHasLeft() {
    assertThatThrownBy(() -> round("gone").createCall(0)).hasMessageContaining("node[gone]");
  }

  @Test
  void stateTheBytesOfAMessage() throws IOException {
    UpdatePitRound round = round("i".repeat(80_000), "n0");
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      round.createCall(0).payload().writeTo(out);
      assertThat(round.payloadBytes(0)).isBetween((long) out.size(), out.size() + 200L);
    }
  }

  /** Nobody gets the id: its contexts must not stay open for the client's keep-alive. */
  @Test
  void failOnceTheRequestIsCancelled() {
    UpdatePitRound round = round("n0");
    round.createCall(0);
    request.cancel("the deadline has passed");
    assertThatThrownBy(() -> round.createCall(0))
        .isInstanceOf(TaskCancelledException.class)
        .hasMessage("the deadline has passed");
    assertThat(round.failure()).isInstanceOf(TaskCancelledException.class);
  }

  /** An update takes no place in a queue: its response time says nothing about fetches. */
  @Test
  void sayNothingAboutTheLoadOfNodes() {
    assertThat(round("n0").callType(0)).isNull();
  }
}
