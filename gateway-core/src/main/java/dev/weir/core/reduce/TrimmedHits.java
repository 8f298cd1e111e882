package dev.weir.core.reduce;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.json.PlainJson;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
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
  /** Bytes of the names, quotes and commas that go with a value. */
  private static final int AROUND_INDEX = 12;

  private static final int AROUND_ID = 9;
  private static final int AROUND_SCORE = 10;
  private static final int AROUND_SOURCE = 11;
  private static final int AROUND_SORT = 10;

  private final boolean index;
  private final boolean id;
  private final boolean score;
  private final boolean source;
  private final boolean sort;
  private final boolean nulls;
  private long left;
  private float measured = Float.NaN;
  private int measuredLength = PlainHits.scoreText(Float.NaN).length();

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

  /** Counts what of plain hits is left out, beside nulls in their documents. */
  void count(PlainHits hits) {
    if (index && id && score && source && sort && nulls) {
      return;
    }
    for (int i = 0; i < hits.count(); i++) {
      count(
          hits.index(i).length(),
          hits.idLength(i),
          hits.score(i),
          hits.sourceLength(i),
          hits.sortValues(i));
    }
  }

  /** Writes plain hits, with commas in between, and without nulls in their documents. */
  void write(TrimmedHitWriter writer, OutputStream out) throws IOException {
    PlainJson json = writer.json();
    BytesRef document = new BytesRef();
    for (int i = 0; i < writer.count(); i++) {
      writer.head(i);
      if (writer.document(i, document)) {
        json.drainTo(out);
        withoutNulls(new BytesArray(document)).writeTo(out);
      }
      writer.tail(i);
      json.drainTo(out);
    }
  }

  /** Writes any hits, into an array that was begun. */
  void write(SearchHit[] hits, XContentBuilder builder, ToXContent.Params params)
      throws IOException {
    for (SearchHit hit : hits) {
      count(
          length(hit.getIndex()),
          length(hit.getId()),
          hit.getScore(),
          hit.hasSource() ? hit.getSourceRef().length() : 0,
          hit.getSortValues());
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
    hide(!writesScore(hit.getScore()), "_score", hidden);
    hide(!source, "_source", hidden);
    hide(!sort, "sort", hidden);
    return hidden;
  }

  private static void hide(boolean drop, String name, Set<String> hidden) {
    if (drop) {
      hidden.add(name);
    }
  }

  private boolean writesScore(float scored) {
    return score && (nulls || !Float.isNaN(scored));
  }

  private BytesReference withoutNulls(BytesReference document) {
    if (nulls) {
      return document;
    }
    BytesReference rest = NullMembers.leftOut(document);
    left += document.length() - rest.length();
    return rest;
  }

  private void count(
      int indexLength, int idLength, float scored, int sourceLength, Object[] values) {
    left += index ? 0 : AROUND_INDEX + indexLength;
    left += id ? 0 : AROUND_ID + idLength;
    if (!writesScore(scored)) {
      left += AROUND_SCORE + scoreLength(scored);
    }
    if (!source && sourceLength > 0) {
      left += AROUND_SOURCE + sourceLength;
    }
    if (!sort && values.length > 0) {
      left += AROUND_SORT - 1;
      for (Object value : values) {
        left += 1 + String.valueOf(value).length() + (value instanceof String ? 2 : 0);
      }
    }
  }

  /** Pages are often of one score. */
  private int scoreLength(float scored) {
    if (Float.floatToIntBits(scored) != Float.floatToIntBits(measured)) {
      measured = scored;
      measuredLength = PlainHits.scoreText(scored).length();
    }
    return measuredLength;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
