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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.DeletePitInfo;
import org.opensearch.action.search.DeletePitResponse;
import org.opensearch.action.search.PitSearchContextIdForNode;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.SendRequestTransportException;

class DeletePitRoundTest {
  private final List<DeletePitResponse> responses = new ArrayList<>();
  private final List<Exception> failures = new ArrayList<>();

  /** Returns a round for the point in time A on one node, and B on another. */
  private DeletePitRound round(String nodeOfA, String nodeOfB) {
    Map<String, List<PitSearchContextIdForNode>> byNode = new LinkedHashMap<>();
    byNode.put(nodeOfA, List.of(context("A", nodeOfA)));
    byNode.put(nodeOfB, List.of(context("B", nodeOfB)));
    return round(byNode);
  }

  private DeletePitRound round(Map<String, List<PitSearchContextIdForNode>> byNode) {
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

  /** A message has the whole id for each context. */
  @Test
  void splitTheContextsOfANode() throws IOException {
    String large = "a".repeat(80_000);
    List<PitSearchContextIdForNode> contexts =
        IntStream.range(0, 1000).mapToObj(context -> context(large, "n0")).toList();
    DeletePitRound round = round(Map.of("n0", contexts));
    long bytes = 0;
    for (int call = 0; call < round.callCount(); call++) {
      assertThat(round.nodeId(call)).isEqualTo("n0");
      try (BytesStreamOutput out = new BytesStreamOutput()) {
        round.createCall(call).payload().writeTo(out);
        assertThat(out.size()).isLessThanOrEqualTo(1 << 20);
        assertThat(round.payloadBytes(call)).isGreaterThanOrEqualTo(out.size());
        bytes += out.size();
      }
    }
    assertThat(bytes).as("each context is freed once").isBetween(80_000_000L, 80_300_000L);
    for (int call = 0; call < round.callCount(); call++) {
      delete(round, call, large);
    }
    round.respond();
    assertThat(deleted()).isEqualTo(Map.of(large, true));
  }

  @Test
  void freeContextsOfAVeryLongIdOneByOne() {
    String tooLong = "a".repeat(3 << 20);
    DeletePitRound round =
        round(
            Map.of(
                "n0", List.of(context(tooLong, "n0"), context("B", "n0"), context(tooLong, "n0"))));
    assertThat(round.callCount()).isEqualTo(3);
  }

  @Test
  void freeFewContextsInOneCall() {
    List<PitSearchContextIdForNode> contexts =
        IntStream.range(0, 100).mapToObj(context -> context("A".repeat(5_000), "n0")).toList();
    assertThat(round(Map.of("n0", contexts)).callCount()).isOne();
  }

  @Test
  void reportWhatOneOfSeveralCallsDidNotDelete() {
    String large = "a".repeat(1 << 20);
    DeletePitRound round = round(Map.of("n0", List.of(context(large, "n0"), context(large, "n0"))));
    delete(round, 0, large);
    round.onFailure(1, NodeCallException.unknownNode("n0"));
    round.respond();
    assertThat(deleted()).isEqualTo(Map.of(large, false));
  }

  /** The node is connected: its contexts stay open, which is no deletion. */
  @Test
  void failWhenACallCannotBeSent() {
    DeletePitRound round = round("n0", "n1");
    SendRequestTransportException unsendable =
        new SendRequestTransportException(
            null, "free", new IllegalArgumentException("got too many bytes"));
    round.onFailure(0, new NodeCallException(NodeCallException.Kind.NOT_SENT, "n0", unsendable));
    delete(round, 1, "B");
    round.respond();
    assertThat(responses).isEmpty();
    assertThat(failures).hasSize(1);
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
