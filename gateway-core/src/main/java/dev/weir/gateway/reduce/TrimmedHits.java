package dev.weir.gateway.reduce;

import static dev.weir.gateway.reduce.PlainJson.ascii;

import dev.weir.config.policy.TrimmingPolicy.Part;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.search.SearchHit;

/**
 * Writes hits without what is left out of them, in the order of a node, and counts its bytes.
 *
 * <p>Plain hits are written as bytes, with their documents as they came. Others are written by
 * OpenSearch's class and filtered, as a node does for {@code filter_path=-hits.hits._index}.
 */
final class TrimmedHits {
  private static final byte[] INDEX = ascii("\"_index\":\"");
  private static final byte[] ID = ascii("\"_id\":\"");
  private static final byte[] SCORE = ascii("\"_score\":");
  private static final byte[] SOURCE = ascii("\"_source\":");

  /** Bytes of the names, quotes and commas that go with a value. */
  private static final int AROUND_INDEX = 12;

  private static final int AROUND_ID = 9;
  private static final int AROUND_SCORE = 10;
  private static final int AROUND_SORT = 10;

  private final boolean index;
  private final boolean id;
  private final boolean score;
  private final boolean source;
  private final boolean sort;
  private final boolean nulls;
  private long left;

  TrimmedHits(AnswerTrim trim) {
    this.index = trim.keeps(Part.INDEX);
    this.id = trim.keeps(Part.ID);
    this.score = trim.keeps(Part.SCORE);
    this.source = trim.keeps(Part.SOURCE);
    this.sort = trim.keeps(Part.SORT);
    this.nulls = trim.keeps(Part.NULLS);
  }

  /** How many bytes were left out of what was written here. */
  long left() {
    return left;
  }

  /** Writes plain hits, with commas in between. */
  void write(PlainHits hits, OutputStream out) throws IOException {
    PlainJson json = new PlainJson(256);
    for (int i = 0; i < hits.count(); i++) {
      separate(i > 0, json);
      json.put('{');
      write(hits, i, json, out);
      json.put('}');
      json.drainTo(out);
    }
  }

  private void write(PlainHits hits, int i, PlainJson json, OutputStream out) throws IOException {
    SearchHit hit = hits.hit(i);
    boolean begun = false;
    count(hit);
    if (index) {
      json.put(INDEX);
      json.putPlain(hit.getIndex());
      json.put('"');
      begun = true;
    }
    if (id) {
      separate(begun, json);
      json.put(ID);
      json.putPlain(hit.getId());
      json.put('"');
      begun = true;
    }
    if (writesScore(hit)) {
      separate(begun, json);
      json.put(SCORE);
      json.put(hits.score(hit.getScore()));
      begun = true;
    }
    BytesReference document = source ? hits.source(i) : null;
    if (document != null) {
      separate(begun, json);
      json.put(SOURCE);
      json.drainTo(out);
      withoutNulls(document).writeTo(out);
      begun = true;
    }
    if (sort && hit.getSortValues().length > 0) {
      separate(begun, json);
      hits.appendSort(hit.getSortValues(), json);
    }
  }

  private static void separate(boolean begun, PlainJson json) {
    if (begun) {
      json.put(',');
    }
  }

  /** Writes any hits, into an array that was begun. */
  void write(SearchHit[] hits, XContentBuilder builder, ToXContent.Params params)
      throws IOException {
    for (SearchHit hit : hits) {
      count(hit);
      if (!nulls && hit.hasSource()) {
        hit.sourceRef(withoutNulls(hit.getSourceRef()));
      }
      Set<String> hidden = hidden(hit);
      if (hidden.isEmpty()) {
        hit.toXContent(builder, params);
      } else {
        copy(filtered(hit, hidden, builder.humanReadable(), params), builder);
      }
    }
  }

  private static BytesReference filtered(
      SearchHit hit, Set<String> hidden, boolean human, ToXContent.Params params)
      throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput();
        XContentBuilder one =
            new XContentBuilder(JsonXContent.jsonXContent, out, Set.of(), hidden)) {
      one.humanReadable(human);
      hit.toXContent(one, params);
      one.flush();
      return out.bytes();
    }
  }

  private static void copy(BytesReference json, XContentBuilder builder) throws IOException {
    if (json.length() == 0) { // a hit that nothing is left of
      builder.startObject();
      builder.endObject();
      return;
    }
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            json.streamInput())) {
      parser.nextToken();
      builder.copyCurrentStructure(parser);
    }
  }

  private Set<String> hidden(SearchHit hit) {
    Set<String> hidden = new HashSet<>();
    hide(!index, "_index", hidden);
    hide(!id, "_id", hidden);
    hide(!writesScore(hit), "_score", hidden);
    hide(!source, "_source", hidden);
    hide(!sort, "sort", hidden);
    return hidden;
  }

  private static void hide(boolean drop, String name, Set<String> hidden) {
    if (drop) {
      hidden.add(name);
    }
  }

  private boolean writesScore(SearchHit hit) {
    return score && (nulls || !Float.isNaN(hit.getScore()));
  }

  private BytesReference withoutNulls(BytesReference document) {
    if (nulls) {
      return document;
    }
    BytesReference rest = NullMembers.leftOut(document);
    left += document.length() - rest.length();
    return rest;
  }

  private void count(SearchHit hit) {
    left += index ? 0 : AROUND_INDEX + length(hit.getIndex());
    left += id ? 0 : AROUND_ID + length(hit.getId());
    if (!writesScore(hit)) {
      left += AROUND_SCORE + PlainHits.scoreText(hit.getScore()).length();
    }
    if (!source && hit.hasSource()) {
      left += SOURCE.length + 1 + hit.getSourceRef().length();
    }
    Object[] values = hit.getSortValues();
    if (!sort && values.length > 0) {
      left += AROUND_SORT - 1;
      for (Object value : values) {
        left += 1 + String.valueOf(value).length() + (value instanceof String ? 2 : 0);
      }
    }
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
