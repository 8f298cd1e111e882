package dev.weir.gateway.columnar;

import dev.weir.model.SampledAnswer;
import java.io.IOException;
import java.util.Set;
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
final class Envelope {
  /** Clients and proxies take 8 KB of all headers together. */
  private static final int MOST_OF_A_HEADER = 4 << 10;

  private static final Set<String> UNTOLD =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext");
  private static final Set<String> UNTOLD_OF_LONG =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext", "search_after");

  private final SearchResponse answer;
  private final RestRequest request;

  Envelope(SearchResponse answer, RestRequest request) {
    this.answer = answer;
    this.request = request;
  }

  /** Begins an object with its members; what goes on goes on with a comma. */
  BytesReference open(BytesStreamOutput out) throws IOException {
    write(out, Set.of("hits.hits"));
    BytesReference whole = out.bytes();
    return whole.slice(0, whole.length() - 1);
  }

  /**
   * What of it fits into a header: all in one line of ASCII, but for why shards failed, the id of
   * the point in time, and what plugins add; and without search_after where that makes it long.
   */
  String line() throws IOException {
    String line = line(UNTOLD);
    return line.length() <= MOST_OF_A_HEADER ? line : line(UNTOLD_OF_LONG);
  }

  private String line(Set<String> without) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput(256);
    write(out, without);
    return ascii(out.bytes().utf8ToString());
  }

  /** A header holds nothing else. */
  private static String ascii(String json) {
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
    SearchHit[] hits = answer.getHits().getHits();
    BytesStream kept = Streams.flushOnCloseStream(out); // closed, the output's pages are others'
    try (XContentBuilder builder =
        new XContentBuilder(XContentType.JSON.xContent(), kept, Set.of(), without)) {
      builder.startObject();
      bare().innerToXContent(builder, request);
      if (answer instanceof SampledAnswer sampled && sampled.sampling() != null) {
        builder.field(SampledAnswer.MEMBER, sampled.sampling());
      }
      if (hits.length > 0 && hits[hits.length - 1].getSortValues().length > 0) {
        builder.startArray("search_after");
        for (Object value : hits[hits.length - 1].getSortValues()) {
          builder.value(value);
        }
        builder.endArray();
      }
      builder.endObject();
    }
  }

  /** The answer without hits and aggregations. */
  private SearchResponse bare() {
    SearchHits hits = answer.getHits();
    SearchResponseSections sections = answer.getInternalResponse();
    return new SearchResponse(
        new SearchResponseSections(
            new SearchHits(new SearchHit[0], hits.getTotalHits(), hits.getMaxScore()),
            null,
            answer.getSuggest(),
            answer.isTimedOut(),
            answer.isTerminatedEarly(),
            answer.getProfileResults().isEmpty()
                ? null
                : new SearchProfileShardResults(answer.getProfileResults()),
            answer.getNumReducePhases(),
            sections.getSearchExtBuilders(),
            sections.getProcessorResult()),
        answer.getScrollId(),
        answer.getTotalShards(),
        answer.getSuccessfulShards(),
        answer.getSkippedShards(),
        answer.getTook().millis(),
        answer.getPhaseTook(),
        answer.getShardFailures(),
        answer.getClusters(),
        answer.pointInTimeId());
  }
}
