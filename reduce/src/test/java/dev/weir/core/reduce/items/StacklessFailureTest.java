package dev.weir.core.reduce.items;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.ParsingException;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.transport.RemoteTransportException;

/** A failure without its stack trace is written like the original. */
class StacklessFailureTest {
  static Stream<Exception> failures() {
    IndexNotFoundException described = new IndexNotFoundException("a", new IOException("inner"));
    described.addHeader("X-Why", "one", "two");
    described.addMetadata("opensearch.hint", "create {} it");
    return Stream.of(
        new IndexNotFoundException("missing"),
        described,
        new RoutingMissingException("index", "id {}"),
        new IllegalArgumentException("got \"this\"", new IllegalStateException("why")),
        new NullPointerException(),
        new OpenSearchStatusException("no {}", RestStatus.CONFLICT),
        new CircuitBreakingException("too large", 20, 10, CircuitBreaker.Durability.PERMANENT),
        new ParsingException(3, 14, "unknown query", null),
        new RemoteTransportException("node", new IndexNotFoundException("remote")),
        new OpenSearchException("outer", new IndexNotFoundException("inner")),
        new SearchPhaseExecutionException(
            "query",
            "all shards failed",
            new ShardSearchFailure[] {
              failure(0, new IllegalArgumentException("first")),
              failure(1, new RemoteTransportException("n", new ParsingException(1, 2, "b", null)))
            }));
  }

  private static ShardSearchFailure failure(int shard, Exception cause) {
    return new ShardSearchFailure(
        cause,
        new SearchShardTarget(
            "node", new ShardId("index", "uuid", shard), null, OriginalIndices.NONE));
  }

  private static String write(Exception failure, XContentType type) throws IOException {
    try (XContentBuilder builder = XContentBuilder.builder(type.xContent())) {
      builder.startObject();
      OpenSearchException.generateFailureXContent(builder, ToXContent.EMPTY_PARAMS, failure, true);
      builder.field("status", ExceptionsHelper.status(failure).getStatus());
      builder.endObject();
      return new String(BytesReference.toBytes(BytesReference.bytes(builder)), ISO_8859_1);
    }
  }

  @ParameterizedTest
  @MethodSource("failures")
  void writeWhatTheOriginalWrites(Exception original) throws IOException {
    Exception small = StacklessFailure.of(original);

    assertThat(small).isInstanceOf(StacklessFailure.class).hasMessage(original.getMessage());
    assertThat(small.getStackTrace()).isEmpty();
    assertThat(small.getCause()).isNull();
    for (XContentType type : XContentType.values()) {
      assertThat(write(small, type)).isEqualTo(write(original, type));
    }
  }

  @ParameterizedTest
  @EnumSource(XContentType.class)
  void keepASmallFailure(XContentType type) throws IOException {
    Exception once = StacklessFailure.of(new IndexNotFoundException("a"));
    assertThat(StacklessFailure.of(once)).isSameAs(once);
    assertThat(write(once, type)).isNotEmpty();
  }

  @Test
  void nameAnotherIndexAsOpenSearchDoes() throws IOException {
    StacklessFailure known = (StacklessFailure) StacklessFailure.of(missing("some.index"));
    assertThat(write(Objects.requireNonNull(known.ofIndex("some.index", "b-2")), XContentType.JSON))
        .isEqualTo(write(missing("b-2"), XContentType.JSON));
    StacklessFailure caused =
        (StacklessFailure)
            StacklessFailure.of(new IndexNotFoundException("a", new IOException("of a")));
    assertThat(caused.ofIndex("a", "b")).isNull();
  }

  private static IndexNotFoundException missing(String index) {
    IndexNotFoundException failure = new IndexNotFoundException(index);
    failure.setResources("index_expression", index);
    return failure;
  }
}
