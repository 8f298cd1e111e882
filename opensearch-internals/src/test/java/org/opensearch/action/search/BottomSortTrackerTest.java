package org.opensearch.action.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchSortValuesAndFormats;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;

/** Which limits later shards get from the hits of earlier ones. */
class BottomSortTrackerTest {
  private static final SearchRequest REQUEST =
      new SearchRequest("i")
          .allowPartialSearchResults(true)
          .source(new SearchSourceBuilder().size(3).sort("n").trackTotalHitsUpTo(25));

  /** A shard's best hits by their numbers, of ten in all. */
  private static QuerySearchResult found(long... numbers) {
    QuerySearchResult result = new QuerySearchResult(new ShardSearchContextId("s", 1), null, null);
    ScoreDoc[] hits =
        LongStream.of(numbers)
            .mapToObj(number -> new FieldDoc(1, Float.NaN, new Object[] {number}))
            .toArray(ScoreDoc[]::new);
    SortField[] fields = {new SortField("n", SortField.Type.LONG)};
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopFieldDocs(new TotalHits(10, TotalHits.Relation.EQUAL_TO), hits, fields),
            Float.NaN),
        new DocValueFormat[] {DocValueFormat.RAW});
    return result;
  }

  private static ShardSearchRequest applied(BottomSortTracker tracker) {
    ShardSearchRequest shard =
        new ShardSearchRequest(
            new OriginalIndices(new String[] {"i"}, IndicesOptions.strictExpandOpen()),
            REQUEST,
            new ShardId("i", "u", 0),
            2,
            AliasFilter.EMPTY,
            1,
            0,
            null,
            new String[0]);
    tracker.applyTo(shard);
    return shard;
  }

  private static Object worst(BottomSortTracker tracker) {
    SearchSortValuesAndFormats values = applied(tracker).getBottomSortValues();
    return values == null ? "none" : values.getRawSortValues()[0];
  }

  @Test
  void takesTheWorstOfAFullShard() {
    BottomSortTracker tracker = new BottomSortTracker(REQUEST, false);
    assertThat(worst(tracker)).isEqualTo("none");
    tracker.collect(found(1, 5));
    tracker.collect(found(2));
    assertThat(worst(tracker)).as("no shard has three").isEqualTo("none");
    tracker.collect(found(4, 6, 9));
    assertThat(worst(tracker)).isEqualTo(9L);
  }

  @Test
  void takesTheWorstOfSeveralShardsThatNodesLeftHitsOutOf() {
    BottomSortTracker tracker = new BottomSortTracker(REQUEST, true);
    tracker.collect(found(1, 5));
    assertThat(worst(tracker)).isEqualTo("none");
    tracker.collect(found());
    tracker.collect(found(2));
    assertThat(worst(tracker)).isEqualTo(5L);
    tracker.collect(found(7, 8));
    assertThat(worst(tracker)).isEqualTo(5L);
    tracker.collect(found(3));
    assertThat(worst(tracker)).isEqualTo(3L);
    assertThat(applied(tracker).source().trackTotalHitsUpTo())
        .as("enough hits are counted")
        .isEqualTo(SearchContext.TRACK_TOTAL_HITS_DISABLED);
  }

  @Test
  void mergesManyResultsWithEqualHits() {
    BottomSortTracker tracker = new BottomSortTracker(REQUEST, true);
    for (int i = 0; i < 40; i++) {
      tracker.collect(found(7));
    }
    tracker.collect(found(4));
    assertThat(worst(tracker)).isEqualTo(7L);
    tracker.collect(found(5, 6));
    assertThat(worst(tracker)).isEqualTo(6L);
  }

  @Test
  void countsHitsOnce() {
    BottomSortTracker tracker = new BottomSortTracker(REQUEST, true);
    tracker.collect(found(1, 5));
    tracker.collect(found(2, 3));
    assertThat(worst(tracker)).isEqualTo(3L);
    assertThat(applied(tracker).source().trackTotalHitsUpTo()).isEqualTo(25);
  }
}
