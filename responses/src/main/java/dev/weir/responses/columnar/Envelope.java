package dev.weir.responses.columnar;

import dev.weir.model.SampledAnswer;
import dev.weir.model.UnreadAnswer;
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
final class Envelope {
  /** Clients and proxies take 8 KB of all headers together. */
  private static final int MOST_OF_A_HEADER = 4 << 10;

  private static final Set<String> UNTOLD =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext");
  private static final Set<String> UNTOLD_OF_LONG =
      Set.of("hits.hits", "_shards.failures", "pit_id", "ext", "search_after");

  private final SearchResponse answer;
  private final FoundHits found;
  private final RestRequest request;

  /**
   * Makes it.
   *
   * @param found the answer's hits
   */
  Envelope(SearchResponse answer, FoundHits found, RestRequest request) {
    this.answer = answer;
    this.found = found;
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
    int last = found.count() - 1;
    Object[] sortedBy = last < 0 ? new Object[0] : found.sortValues(last);
    BytesStream kept = Streams.flushOnCloseStream(out); // closed, the output's pages are others'
    try (XContentBuilder builder =
        new XContentBuilder(XContentType.JSON.xContent(), kept, Set.of(), without)) {
      builder.startObject();
      bare().innerToXContent(builder, request);
      if (answer instanceof SampledAnswer sampled && sampled.sampling() != null) {
        builder.field(SampledAnswer.MEMBER, sampled.sampling());
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
  private SearchResponse bare() {
    boolean unread = found instanceof FoundHits.InPlace;
    @Nullable SearchResponseSections rare = unread ? null : answer.getInternalResponse();
    return new SearchResponse(
        new SearchResponseSections(
            figures(),
            null,
            answer.getSuggest(),
            answer.isTimedOut(),
            answer.isTerminatedEarly(),
            answer.getProfileResults().isEmpty()
                ? null
                : new SearchProfileShardResults(answer.getProfileResults()),
            answer.getNumReducePhases(),
            rare == null ? List.of() : rare.getSearchExtBuilders(),
            rare == null ? List.of() : rare.getProcessorResult()),
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

  /** How many there are, and the best score. */
  private SearchHits figures() {
    if (found instanceof FoundHits.InPlace && answer instanceof UnreadAnswer unread) {
      return new SearchHits(new SearchHit[0], total(unread), unread.maxScore());
    }
    SearchHits hits = answer.getHits();
    return new SearchHits(new SearchHit[0], hits.getTotalHits(), hits.getMaxScore());
  }

  private static @Nullable TotalHits total(UnreadAnswer answer) {
    if (answer.totalHits() < 0) {
      return null;
    }
    return new TotalHits(
        answer.totalHits(),
        answer.totalIsExact()
            ? TotalHits.Relation.EQUAL_TO
            : TotalHits.Relation.GREATER_THAN_OR_EQUAL_TO);
  }
}
