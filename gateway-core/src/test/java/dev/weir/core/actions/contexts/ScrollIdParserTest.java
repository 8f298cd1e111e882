package dev.weir.core.actions.contexts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterStates;
import dev.weir.model.PassThroughException;
import java.io.IOException;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;

class ScrollIdParserTest {
  private static final Metadata SMALL = metadata(1);

  private static Metadata metadata(int shards) {
    return ClusterStates.ofNodes(1).index("logs", shards, 0).view().state().metadata();
  }

  private static String id(int contexts, String node) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(ParsedScrollId.QUERY_THEN_FETCH_TYPE);
      out.writeVInt(contexts);
      for (int context = 0; context < contexts; context++) {
        out.writeLong(context);
        out.writeString(node);
      }
      return Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes()));
    }
  }

  @Test
  void rejectForgedIdOfManyContexts() throws IOException {
    String forged = id(100_000, "");

    assertThatThrownBy(() -> ScrollIdParser.parse(forged, SMALL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Cannot parse scroll id: got 100000 search contexts (expected: at most 1000)")
        .satisfies(thrown ->
            assertThat(ExceptionsHelper.status(thrown)).isEqualTo(RestStatus.BAD_REQUEST));
    assertThatThrownBy(() -> ScrollIdParser.parseContexts(List.of(forged), SMALL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void acceptAsManyContextsAsTheClusterMayHaveShards() throws IOException {
    assertThat(ScrollIdParser.parse(id(1000, "n0"), SMALL).getContext()).hasSize(1000);
    assertThat(ScrollIdParser.parse(id(1200, "n0"), metadata(600)).getContext()).hasSize(1200);
  }

  @Test
  void passManyIdsThroughThatTogetherNameTooManyContexts() throws IOException {
    String id = id(100, "n0");

    assertThat(ScrollIdParser.parseContexts(Collections.nCopies(10, id), SMALL)).hasSize(1000);
    assertThatThrownBy(() -> ScrollIdParser.parseContexts(Collections.nCopies(11, id), SMALL))
        .isInstanceOf(PassThroughException.class)
        .hasMessage("costly-body");
  }

  @Test
  void passIdsOfOtherClustersThrough() throws IOException {
    String id = id(2000, "other:n0");

    assertThatThrownBy(() -> ScrollIdParser.parse(id, SMALL))
        .isInstanceOf(PassThroughException.class)
        .hasMessage("cross-cluster");
  }
}
