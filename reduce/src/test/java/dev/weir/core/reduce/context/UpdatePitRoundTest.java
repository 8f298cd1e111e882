package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.protocol.NodeCallException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.unit.TimeValue;

class UpdatePitRoundTest {
  private static UpdatePitRound round(String nodeId) {
    return new UpdatePitRound(
        SearchFixture.caller(),
        new CreatePitResponse("id", 1, 1, 1, 0, 0, ShardSearchFailure.EMPTY_ARRAY),
        TimeValue.timeValueMinutes(1),
        List.of(new SearchContextIdForNode(null, nodeId, SearchFixture.contextId(1))),
        SearchFixture.scope(new SearchRequest("docs"), 1).state().nodes());
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

  /** An update takes no place in a queue: its response time says nothing about fetches. */
  @Test
  void sayNothingAboutTheLoadOfNodes() {
    assertThat(round("n0").callType(0)).isNull();
  }
}
