package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.model.RequestContext;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesReference;

class ScrollExecutionTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  @Test
  void keepStackTracesOfFewFailures() throws IOException {
    assertThat(failures(15)).hasSize(15).noneMatch(ScrollExecutionTest::isStackless);
  }

  @Test
  void keepManyFailuresWithoutStackTraces() throws IOException {
    assertThat(failures(16)).hasSize(16).allMatch(ScrollExecutionTest::isStackless);
    assertThat(failures(40)).hasSize(40).allMatch(ScrollExecutionTest::isStackless);
  }

  private static boolean isStackless(ShardSearchFailure failure) {
    return failure.getCause() instanceof StacklessFailure cause
        && "gone".equals(cause.getMessage());
  }

  /** Returns the failures in the response to a page whose contexts have all failed. */
  private static List<ShardSearchFailure> failures(int contexts) throws IOException {
    List<Exception> thrown = new ArrayList<>();
    ScrollExecution page =
        new ScrollExecution(
            new SearchScrollRequest("id"),
            id(contexts),
            new ScrollExecution.PageRequest(
                new RequestContext(Runnable::run, 1, Map.of()),
                ActionListener.wrap(
                    response -> {
                      throw new AssertionError("got " + response + " (expected: a failure)");
                    },
                    thrown::add),
                DiscoveryNodes.EMPTY_NODES,
                () -> 1),
            SearchFixture.caller(),
            new ReduceServices(REGISTRIES, new NoopCircuitBreaker("request"), Runnable::run));
    NodeRound<?> round = page.createQueryRound();
    for (int call = 0; call < round.callCount(); call++) {
      round.onFailure(call, new IllegalStateException("gone"));
    }
    page.failAllShards(round.name());

    assertThat(thrown).singleElement().isInstanceOf(SearchPhaseExecutionException.class);
    return List.of(((SearchPhaseExecutionException) thrown.getFirst()).shardFailures());
  }

  private static ParsedScrollId id(int contexts) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(ParsedScrollId.QUERY_THEN_FETCH_TYPE);
      out.writeVInt(contexts);
      for (int context = 0; context < contexts; context++) {
        out.writeLong(context);
        out.writeString("n0");
      }
      return SearchInternals.parseScrollId(
          Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes())));
    }
  }
}
