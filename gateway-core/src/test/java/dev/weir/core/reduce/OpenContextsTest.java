package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.OpenContexts.Stands;
import dev.weir.core.reduce.SearchWork.OpenContext;
import dev.weir.protocol.NodeFailure;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.SearchShardTarget;

class OpenContextsTest {
  private static SearchShardTarget on(String nodeId, int shard) {
    return new SearchShardTarget(nodeId, SearchBench.shard(shard), null, OriginalIndices.NONE);
  }

  private static List<String> nodes(OpenContexts contexts) {
    return contexts.drain().stream().map(OpenContext::nodeId).toList();
  }

  @Test
  void givesEachContextOutOnce() {
    OpenContexts contexts = new OpenContexts(SearchBench.caller(), 3, false);
    contexts.opened(0, on("n0", 0), SearchBench.contextId(1));
    contexts.opened(1, on("n1", 1), SearchBench.contextId(2));
    contexts.opened(2, on("n2", 2), SearchBench.contextId(3));
    contexts.discard(1);
    contexts.discard(1);
    assertThat(nodes(contexts)).containsExactly("n1");
    contexts.gone(2);
    contexts.discardAll();
    assertThat(nodes(contexts)).containsExactly("n0");
    contexts.discardAll();
    assertThat(nodes(contexts)).isEmpty();
  }

  private static NodeFailure refused(boolean nothing) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeBoolean(nothing);
      if (!nothing) {
        SearchBench.contextId(7).writeTo(out);
      }
      return refused(BytesReference.toBytes(out.bytes()));
    }
  }

  private static NodeFailure refused(byte[] beginning) {
    return new NodeFailure(
        NodeFailure.Kind.OVER_BUDGET, "n0", new IllegalStateException("no room"), beginning);
  }

  @Test
  void freesWhatTheBeginningOfARefusedAnswerTellsOf() throws IOException {
    OpenContexts contexts = new OpenContexts(SearchBench.caller(), 1, false);
    contexts.leftBy(refused(false), OriginalIndices.NONE, Stands.BEHIND_FLAG);
    contexts.leftBy(refused(true), OriginalIndices.NONE, Stands.BEHIND_FLAG);
    assertThat(nodes(contexts)).containsExactly("n0");

    OpenContext left =
        OpenContexts.left(
            SearchBench.caller(), OriginalIndices.NONE, refused(false), Stands.BEHIND_FLAG);
    assertThat(left).isNotNull().extracting(OpenContext::nodeId).isEqualTo("n0");
    assertThat(
            OpenContexts.left(
                SearchBench.caller(), OriginalIndices.NONE, refused(true), Stands.BEHIND_FLAG))
        .isNull();
  }

  @Test
  void knowsWhereAnAnswerSaysWhichContextItOpened() throws IOException {
    OpenContexts contexts = new OpenContexts(SearchBench.caller(), 1, false);
    NodeFailure atFirst;
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      SearchBench.contextId(8).writeTo(out);
      atFirst = refused(BytesReference.toBytes(out.bytes()));
    }
    contexts.leftBy(atFirst, OriginalIndices.NONE, Stands.NOWHERE);
    assertThat(nodes(contexts)).isEmpty();
    contexts.leftBy(atFirst, OriginalIndices.NONE, Stands.FIRST);
    assertThat(nodes(contexts)).containsExactly("n0");
  }

  @Test
  void neverFreesTheContextsOfAPointInTime() {
    OpenContexts contexts = new OpenContexts(SearchBench.caller(), 1, true);
    contexts.opened(0, on("n0", 0), SearchBench.contextId(1));
    contexts.discardAll();
    assertThat(nodes(contexts)).isEmpty();
  }
}
