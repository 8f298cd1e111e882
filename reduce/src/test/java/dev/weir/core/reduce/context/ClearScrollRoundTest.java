package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.protocol.NodeCallException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.transport.TransportResponse;

class ClearScrollRoundTest {
  private final List<ClearScrollResponse> responses = new ArrayList<>();

  private ClearScrollRound round(String... nodeIds) {
    List<SearchContextIdForNode> contexts = new ArrayList<>();
    for (String nodeId : nodeIds) {
      contexts.add(new SearchContextIdForNode(null, nodeId, SearchFixture.contextId(1)));
    }
    return ClearScrollRound.forContexts(
        SearchFixture.caller(),
        contexts,
        SearchFixture.scope(new SearchRequest("docs"), 1).state().nodes(),
        ActionListener.wrap(
            responses::add,
            thrown -> {
              throw new AssertionError(thrown);
            }));
  }

  private static TransportResponse reply(boolean isFreed) throws IOException {
    byte[] bytes = {(byte) (isFreed ? 1 : 0)};
    return SearchInternals.freeContextResponseReader().read(new BytesArray(bytes).streamInput());
  }

  @Test
  void countFreedContextsAndSkipNodesThatHaveLeft() throws IOException {
    ClearScrollRound round = round("n0", "gone", "n1");
    assertThat(round.callCount()).isEqualTo(2);
    assertThat(round.nodeId(1)).isEqualTo("n1");
    round.onReply(0, reply(true), new CountedFrame(), () -> {});
    round.onReply(1, reply(false), new CountedFrame(), () -> {});
    round.respond();
    assertThat(responses).hasSize(1);
    assertThat(responses.getFirst().isSucceeded()).isTrue();
    assertThat(responses.getFirst().getNumFreed()).isEqualTo(1);
  }

  @Test
  void reportAFailureOfANode() {
    ClearScrollRound round = round("n0");
    round.onFailure(0, NodeCallException.unknownNode("n0"));
    round.respond();
    assertThat(responses).singleElement().matches(response -> !response.isSucceeded());
  }

  /** Freeing takes no place in a queue: its response time says nothing about fetches. */
  @Test
  void sayNothingAboutTheLoadOfNodes() {
    assertThat(round("n0").callType(0)).isNull();
  }
}
