package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.document.DocumentField;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.index.query.BoolQueryBuilder;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;
import org.opensearch.search.internal.InternalSearchResponse;

class CollapsedHitExpanderTest {
  private static final ShardSearchFailure[] NO_FAILURES = ShardSearchFailure.EMPTY_ARRAY;

  private long freeBytes = 1 << 20;
  private @Nullable MultiSearchRequest searches;
  private @Nullable ActionListener<MultiSearchResponse> listener;
  private @Nullable Exception failure;
  private int ended;

  private void expand(SearchRequest request, InternalSearchResponse found) {
    CollapsedHitExpander.expand(
        request,
        found,
        bytes -> {
          if (bytes > freeBytes) {
            throw new CircuitBreakingException("no memory", CircuitBreaker.Durability.TRANSIENT);
          }
          freeBytes -= bytes;
        },
        (sent, waiting) -> {
          searches = sent;
          listener = waiting;
        },
        thrown -> {
          failure = thrown;
          ended++;
        });
  }

  /** Returns a request with inner hits {@code i0}, which has one hit, {@code i1} with two, etc. */
  private static SearchRequest request(int innerHits) {
    List<InnerHitBuilder> inner =
        IntStream.range(0, innerHits)
            .mapToObj(i -> new InnerHitBuilder("i" + i).setSize(i + 1))
            .toList();
    CollapseBuilder collapse = new CollapseBuilder("user").setInnerHits(inner);
    return new SearchRequest("docs").source(new SearchSourceBuilder().collapse(collapse));
  }

  /** Returns a response with a hit of each user; null for a hit without one. */
  private static InternalSearchResponse found(@Nullable String... users) {
    SearchHit[] hits = new SearchHit[users.length];
    for (int i = 0; i < hits.length; i++) {
      String user = users[i];
      List<Object> values = user == null ? List.of() : List.of(user);
      Map<String, DocumentField> fields = Map.of("user", new DocumentField("user", values));
      hits[i] = new SearchHit(i, "d" + i, fields, Map.of());
    }
    TotalHits total = new TotalHits(hits.length, TotalHits.Relation.EQUAL_TO);
    return new InternalSearchResponse(
        new SearchHits(hits, total, Float.NaN), null, null, null, false, null, 1);
  }

  private static MultiSearchResponse.Item item(InternalSearchResponse found) {
    return new MultiSearchResponse.Item(
        new SearchResponse(found, null, 1, 1, 0, 1, NO_FAILURES, SearchResponse.Clusters.EMPTY),
        null);
  }

  private void answer(MultiSearchResponse.Item... items) {
    Objects.requireNonNull(listener).onResponse(new MultiSearchResponse(items, 1));
  }

  @Test
  void rejectMoreSearchesThanThereIsMemoryFor() {
    String[] users = new String[1000];
    Arrays.fill(users, "u");
    expand(request(50), found(users));
    assertThat(failure).isInstanceOf(CircuitBreakingException.class);
    assertThat(ended).isOne();
    assertThat(searches).isNull();
  }

  @Test
  void searchForTheInnerHitsOfEachGroup() {
    InternalSearchResponse found = found("u0", null);
    expand(request(2), found);
    assertThat(freeBytes).isEqualTo((1 << 20) - 4 * 700);
    List<SearchRequest> sent = Objects.requireNonNull(searches).requests();
    assertThat(sent).extracting(search -> search.source().size()).containsExactly(1, 2, 1, 2);
    assertThat(((BoolQueryBuilder) sent.get(1).source().query()).filter())
        .containsExactly(QueryBuilders.matchQuery("user", "u0"));
    assertThat(((BoolQueryBuilder) sent.get(2).source().query()).mustNot())
        .containsExactly(QueryBuilders.existsQuery("user"));

    InternalSearchResponse inner = found("u0");
    answer(item(found()), item(inner), item(found()), item(found()));
    assertThat(ended).isOne();
    assertThat(failure).isNull();
    Map<String, SearchHits> attached = found.hits().getAt(0).getInnerHits();
    assertThat(attached).containsOnlyKeys("i0", "i1");
    assertThat(attached.get("i1")).isSameAs(inner.hits());
  }

  @Test
  void failWithTheFailureOfASearch() {
    expand(request(1), found("u0", "u1"));
    IllegalStateException odd = new IllegalStateException("odd");
    answer(item(found()), new MultiSearchResponse.Item(null, odd));
    assertThat(failure).isSameAs(odd);
    assertThat(ended).isOne();
  }
}
