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
 * What an answer tells beside hits and aggregations, as OpenSearch writes it: took, timed_out,
 * _shards, total; and where the next page begins.
 */
final class ResponseEnvelope {
  /** Clients and proxies take 8 KB of all headers together. */
  private static final int MAX_HEADER_BYTES = 4 << 10;

  private static final Set<String> HEADER_EXCLUDED =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext");
  private static final Set<String> LONG_HEADER_EXCLUDED =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext", "search_after");

  private final SearchResponse response;
  private final ResponseHits hits;
  private final RestRequest request;

  /**
   * Makes it.
   *
   * @param found the answer's hits
   */
  ResponseEnvelope(SearchResponse answer, ResponseHits found, RestRequest request) {
    this.response = answer;
    this.hits = found;
    this.request = request;
  }

  /** Begins an object with its members; what goes on goes on with a comma. */
  BytesReference writeOpenObject(BytesStreamOutput out) throws IOException {
    write(out, Set.of("hits.hits"));
    BytesReference whole = out.bytes();
    return whole.slice(0, whole.length() - 1);
  }

  /**
   * What of it fits into a header: all in one line of ASCII, but for why shards failed, the id of
   * the point in time, and what plugins add; and without search_after where that makes it long.
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

  /** A header holds nothing else. */
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
    BytesStream kept = Streams.flushOnCloseStream(out); // closed, the output's pages are others'
    try (XContentBuilder builder =
        new XContentBuilder(XContentType.JSON.xContent(), kept, Set.of(), without)) {
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

  /** The answer without hits and aggregations. */
  private SearchResponse withoutHitsAndAggregations() {
    boolean unread = hits instanceof ResponseHits.InPlaceHits;
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

  /** How many there are, and the best score. */
  private SearchHits hitsWithoutDocuments() {
    if (this.hits instanceof ResponseHits.InPlaceHits
        && response instanceof LazySearchResponse unread) {
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
