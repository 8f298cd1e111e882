package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.protocol.NodeCallException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.DeletePitInfo;
import org.opensearch.action.search.DeletePitResponse;
import org.opensearch.action.search.PitSearchContextIdForNode;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.transport.NodeDisconnectedException;

class DeletePitRoundTest {
  private final List<DeletePitResponse> responses = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();

  /** Returns a round for the point in time A on one node, and B on another. */
  private DeletePitRound round(String nodeOfA, String nodeOfB) {
    Map<String, List<PitSearchContextIdForNode>> byNode = new LinkedHashMap<>();
    byNode.put(nodeOfA, List.of(context("A", nodeOfA)));
    byNode.put(nodeOfB, List.of(context("B", nodeOfB)));
    return DeletePitRound.forContexts(
        SearchFixture.caller(),
        byNode,
        SearchFixture.scope(new SearchRequest("docs"), 1).state().nodes(),
        ActionListener.wrap(responses::add, failures::add));
  }

  private static PitSearchContextIdForNode context(String pitId, String nodeId) {
    return new PitSearchContextIdForNode(
        pitId, new SearchContextIdForNode(null, nodeId, SearchFixture.contextId(1)));
  }

  private static void delete(DeletePitRound round, int call, String pitId) {
    round.onReply(
        call,
        new DeletePitResponse(List.of(new DeletePitInfo(true, pitId))),
        new CountedFrame(),
        () -> {});
  }

  private Map<String, Boolean> deleted() {
    assertThat(failures).isEmpty();
    assertThat(responses).hasSize(1);
    Map<String, Boolean> deleted = new LinkedHashMap<>();
    for (DeletePitInfo info : responses.getFirst().getDeletePitResults()) {
      deleted.put(info.getPitId(), info.isSuccessful());
    }
    return deleted;
  }

  @Test
  void reportWhatIsOnALostNodeAsNotDeleted() {
    DeletePitRound round = round("gone", "n1");
    assertThat(round.callCount()).isOne();
    delete(round, 0, "B");
    round.respond();
    assertThat(deleted()).isEqualTo(Map.of("A", false, "B", true));
  }

  @Test
  void reportWhatIsOnAnUnconnectedNodeAsNotDeleted() {
    DeletePitRound round = round("n0", "n1");
    round.onFailure(0, NodeCallException.unknownNode("n0"));
    delete(round, 1, "B");
    round.respond();
    assertThat(deleted()).isEqualTo(Map.of("A", false, "B", true));
  }

  @Test
  void failWhenANodeMayHaveDeletedSome() {
    DeletePitRound round = round("n0", "n1");
    NodeDisconnectedException lost = new NodeDisconnectedException(null, "lost");
    round.onFailure(0, new NodeCallException(NodeCallException.Kind.CONNECTION_LOST, "n0", lost));
    delete(round, 1, "B");
    round.respond();
    assertThat(responses).isEmpty();
    assertThat(failures).singleElement().isSameAs(lost);
  }

  @Test
  void failWhenTheGatewayRejectsACall() {
    DeletePitRound round = round("n0", "n1");
    OpenSearchRejectedExecutionException full = new OpenSearchRejectedExecutionException("full");
    round.onFailure(0, new NodeCallException(NodeCallException.Kind.NOT_SENT, "n0", full));
    round.onFailure(1, new IOException("later"));
    round.respond();
    assertThat(failures).singleElement().isSameAs(full);
  }

  /** Freeing takes no place in a queue: its response time says nothing about fetches. */
  @Test
  void sayNothingAboutTheLoadOfNodes() {
    assertThat(round("n0", "n1").callType(0)).isNull();
  }
}
