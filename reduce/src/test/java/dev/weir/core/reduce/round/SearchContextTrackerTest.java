package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.round.SearchContextTracker.ContextIdPosition;
import dev.weir.protocol.NodeCallException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchShardTarget;

class SearchContextTrackerTest {
  private static SearchShardTarget on(String nodeId, int shard) {
    return new SearchShardTarget(nodeId, SearchFixture.shard(shard), null, OriginalIndices.NONE);
  }

  private static List<String> nodes(SearchContextTracker contexts) {
    return contexts.drainDiscarded().stream().map(OpenContext::nodeId).toList();
  }

  @Test
  void givesEachContextOutOnce() {
    SearchContextTracker contexts = new SearchContextTracker(SearchFixture.caller(), 3, false);
    contexts.recordOpened(0, on("n0", 0), SearchFixture.contextId(1));
    contexts.recordOpened(1, on("n1", 1), SearchFixture.contextId(2));
    contexts.recordOpened(2, on("n2", 2), SearchFixture.contextId(3));
    contexts.discard(1);
    contexts.discard(1);
    assertThat(nodes(contexts)).containsExactly("n1");
    contexts.forget(2);
    contexts.discardAll();
    assertThat(nodes(contexts)).containsExactly("n0");
    contexts.discardAll();
    assertThat(nodes(contexts)).isEmpty();
  }

  private static NodeCallException refused(boolean nothing) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeBoolean(nothing);
      if (!nothing) {
        SearchFixture.contextId(7).writeTo(out);
      }
      return refused(BytesReference.toBytes(out.bytes()));
    }
  }

  private static NodeCallException refused(byte[] beginning) {
    return new NodeCallException(
        NodeCallException.Kind.OVER_BUDGET, "n0", new IllegalStateException("no room"), beginning);
  }

  @Test
  void freeTheContextAtTheBeginningOfARefusedResponse() throws IOException {
    SearchContextTracker contexts = new SearchContextTracker(SearchFixture.caller(), 1, false);
    contexts.discardAfterFailure(
        refused(false), OriginalIndices.NONE, ContextIdPosition.AFTER_FLAG);
    contexts.discardAfterFailure(refused(true), OriginalIndices.NONE, ContextIdPosition.AFTER_FLAG);
    assertThat(nodes(contexts)).containsExactly("n0");

    OpenContext left =
        SearchContextTracker.orphanedContext(
            SearchFixture.caller(),
            OriginalIndices.NONE,
            refused(false),
            ContextIdPosition.AFTER_FLAG);
    assertThat(left).isNotNull().extracting(OpenContext::nodeId).isEqualTo("n0");
    assertThat(
            SearchContextTracker.orphanedContext(
                SearchFixture.caller(),
                OriginalIndices.NONE,
                refused(true),
                ContextIdPosition.AFTER_FLAG))
        .isNull();
  }

  @Test
  void knowsWhereAnAnswerSaysWhichContextItOpened() throws IOException {
    SearchContextTracker contexts = new SearchContextTracker(SearchFixture.caller(), 1, false);
    NodeCallException atFirst;
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      SearchFixture.contextId(8).writeTo(out);
      atFirst = refused(BytesReference.toBytes(out.bytes()));
    }
    contexts.discardAfterFailure(atFirst, OriginalIndices.NONE, ContextIdPosition.NONE);
    assertThat(nodes(contexts)).isEmpty();
    contexts.discardAfterFailure(atFirst, OriginalIndices.NONE, ContextIdPosition.AT_START);
    assertThat(nodes(contexts)).containsExactly("n0");
  }

  @Test
  void neverFreeContextsOfAPointInTime() {
    SearchContextTracker contexts = new SearchContextTracker(SearchFixture.caller(), 1, true);
    contexts.recordOpened(0, on("n0", 0), SearchFixture.contextId(1));
    contexts.discardAll();
    assertThat(nodes(contexts)).isEmpty();
  }
}
