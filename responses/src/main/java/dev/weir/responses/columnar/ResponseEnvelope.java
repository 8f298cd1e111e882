package dev.weir.responses.columnar;

import dev.weir.model.LazySearchResponse;
import dev.weir.model.SampledResponse;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.common.io.Streams;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.BytesStream;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.RestRequest;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.profile.SearchProfileShardResults;

/**
 * The members of a response other than hits and aggregations, in OpenSearch's own format: took,
 * timed_out, _shards, total, and the {@code search_after} of the next page.
 */
final class ResponseEnvelope {
  /** The longest value of a header: clients and proxies accept about 8 KB for all together. */
  static final int MAX_HEADER_BYTES = 4 << 10;

  private static final Set<String> HEADER_EXCLUDED =
      Set.of("hits.hits", "_shards.failures", "pit_id", "_scroll_id", "ext");
  private static final Set<String> LONG_HEADER_EXCLUDED =
      Set.of("hits.hits", "_shards.failures", "pit_id", "_scroll_id", "ext", "search_after");

  private final SearchResponse response;
  private final ResponseHits hits;
  private final RestRequest request;

  /**
   * Creates the envelope of one response.
   *
   * @param found the response's hits
   */
  ResponseEnvelope(SearchResponse answer, ResponseHits found, RestRequest request) {
    this.response = answer;
    this.hits = found;
    this.request = request;
  }

  /**
   * Writes the start of an object with these members and leaves it open; the next member needs a
   * comma.
   */
  BytesReference writeOpenObject(BytesStreamOutput out) throws IOException {
    write(out, Set.of("hits.hits"));
    BytesReference whole = out.bytes();
    return whole.slice(0, whole.length() - 1);
  }

  /**
   * Writes the members that fit into a header, in one line of ASCII. It omits shard failures, the
   * ids of the point in time and of the scroll, and members of plugins; it also omits search_after
   * if the line would be too long.
   */
  String toHeaderLine() throws IOException {
    String line = toHeaderLine(HEADER_EXCLUDED);
    return line.length() <= MAX_HEADER_BYTES ? line : toHeaderLine(LONG_HEADER_EXCLUDED);
  }

  private String toHeaderLine(Set<String> without) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput(256);
    write(out, without);
    return escapeToAscii(out.bytes().utf8ToString());
  }

  /** HTTP headers contain only ASCII. */
  private static String escapeToAscii(String json) {
    StringBuilder ascii = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (c < 0x7f) {
        ascii.append(c);
      } else {
        ascii.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
      }
    }
    return ascii.toString();
  }

  private void write(BytesStreamOutput out, Set<String> without) throws IOException {
    int last = hits.count() - 1;
    Object[] sortedBy = last < 0 ? new Object[0] : hits.sortValues(last);
    BytesStream unclosed = Streams.flushOnCloseStream(out); // closing would return the pages of out
    try (XContentBuilder builder =
        new XContentBuilder(XContentType.JSON.xContent(), unclosed, Set.of(), without)) {
      builder.startObject();
      withoutHitsAndAggregations().innerToXContent(builder, request);
      if (response instanceof SampledResponse sampled && sampled.sampling() != null) {
        builder.field(SampledResponse.JSON_FIELD, sampled.sampling());
      }
      if (sortedBy.length > 0) {
        builder.startArray("search_after");
        for (Object value : sortedBy) {
          builder.value(value);
        }
        builder.endArray();
      }
      builder.endObject();
    }
  }

  private SearchResponse withoutHitsAndAggregations() {
    boolean unread = hits.isUnread();
    @Nullable SearchResponseSections rare = unread ? null : response.getInternalResponse();
    return new SearchResponse(
        new SearchResponseSections(
            hitsWithoutDocuments(),
            null,
            response.getSuggest(),
            response.isTimedOut(),
            response.isTerminatedEarly(),
            response.getProfileResults().isEmpty()
                ? null
                : new SearchProfileShardResults(response.getProfileResults()),
            response.getNumReducePhases(),
            rare == null ? List.of() : rare.getSearchExtBuilders(),
            rare == null ? List.of() : rare.getProcessorResult()),
        response.getScrollId(),
        response.getTotalShards(),
        response.getSuccessfulShards(),
        response.getSkippedShards(),
        response.getTook().millis(),
        response.getPhaseTook(),
        response.getShardFailures(),
        response.getClusters(),
        response.pointInTimeId());
  }

  /** Returns the number of hits and the best score, without the hits themselves. */
  private SearchHits hitsWithoutDocuments() {
    if (this.hits.isUnread() && response instanceof LazySearchResponse unread) {
      return new SearchHits(new SearchHit[0], totalHits(unread), unread.maxScore());
    }
    SearchHits hits = response.getHits();
    return new SearchHits(new SearchHit[0], hits.getTotalHits(), hits.getMaxScore());
  }

  private static @Nullable TotalHits totalHits(LazySearchResponse answer) {
    if (answer.totalHits() < 0) {
      return null;
    }
    return new TotalHits(
        answer.totalHits(),
        answer.isTotalExact()
            ? TotalHits.Relation.EQUAL_TO
            : TotalHits.Relation.GREATER_THAN_OR_EQUAL_TO);
  }
}
