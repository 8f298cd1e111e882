package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.reduce.hits.PlainHits;
import dev.weir.core.reduce.hits.ScoreJsonCache;
import dev.weir.model.JsonBuffer;
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
 * Writes hits without their dropped parts, in a node's order, and counts the saved bytes.
 *
 * <p>Plain hits are written as bytes with their original documents. OpenSearch's class writes the
 * others, and a filter drops parts as a node does for {@code filter_path=-hits.hits._index}.
 */
final class HitTrimmer {
  /** The bytes of a name, quotes and commas around a value. */
  private static final int INDEX_OVERHEAD = 12;

  private static final int ID_OVERHEAD = 9;
  private static final int SCORE_OVERHEAD = 10;
  private static final int SOURCE_OVERHEAD = 11;
  private static final int SORT_OVERHEAD = 10;

  private final boolean index;
  private final boolean id;
  private final boolean score;
  private final boolean source;
  private final boolean sort;
  private final boolean dropsNulls;
  private long savedBytes;
  private final ScoreJsonCache scores = new ScoreJsonCache();

  HitTrimmer(ResponseTrimSpec trim) {
    this.index = trim.shouldWrite(Part.INDEX);
    this.id = trim.shouldWrite(Part.ID);
    this.score = trim.shouldWrite(Part.SCORE);
    this.source = trim.shouldWrite(Part.SOURCE);
    this.sort = trim.shouldWrite(Part.SORT);
    this.dropsNulls = trim.shouldWrite(Part.NULLS);
  }

  /** Returns the bytes saved by this writer. */
  long savedBytes() {
    return savedBytes;
  }

  /** Counts the dropped parts of plain hits, except nulls in documents. */
  void countSavings(PlainHits hits) {
    if (index && id && score && source && sort && dropsNulls) {
      return;
    }
    for (int i = 0; i < hits.count(); i++) {
      countSavings(
          hits.index(i).length(),
          hits.idLength(i),
          hits.score(i),
          hits.sourceLength(i),
          hits.sortValues(i));
    }
  }

  /** Writes plain hits with commas between them, and without nulls in their documents. */
  void write(TrimmedHitWriter writer, OutputStream out) throws IOException {
    JsonBuffer json = writer.writer();
    BytesRef document = new BytesRef();
    for (int i = 0; i < writer.count(); i++) {
      writer.writePrefix(i);
      if (writer.locateDocument(i, document)) {
        json.drainTo(out);
        withoutNulls(new BytesArray(document)).writeTo(out);
      }
      writer.writeSuffix(i);
      json.drainTo(out);
    }
  }

  /** Writes hits of any kind into an open array. */
  void write(SearchHit[] hits, XContentBuilder builder, ToXContent.Params params)
      throws IOException {
    for (SearchHit hit : hits) {
      countSavings(
          length(hit.getIndex()),
          length(hit.getId()),
          hit.getScore(),
          hit.hasSource() ? hit.getSourceRef().length() : 0,
          hit.getSortValues());
      if (!dropsNulls && hit.hasSource()) {
        hit.sourceRef(withoutNulls(hit.getSourceRef()));
      }
      Set<String> hidden = hiddenMembers(hit);
      if (hidden.isEmpty()) {
        hit.toXContent(builder, params);
      } else {
        copy(filterHit(hit, hidden, builder.humanReadable(), params), builder);
      }
    }
  }

  private static BytesReference filterHit(
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
    if (json.length() == 0) { // all parts are dropped
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

  private Set<String> hiddenMembers(SearchHit hit) {
    Set<String> hidden = new HashSet<>();
    addHidden(!index, "_index", hidden);
    addHidden(!id, "_id", hidden);
    addHidden(!shouldWriteScore(hit.getScore()), "_score", hidden);
    addHidden(!source, "_source", hidden);
    addHidden(!sort, "sort", hidden);
    return hidden;
  }

  private static void addHidden(boolean drop, String name, Set<String> hidden) {
    if (drop) {
      hidden.add(name);
    }
  }

  private boolean shouldWriteScore(float scored) {
    return score && (dropsNulls || !Float.isNaN(scored));
  }

  private BytesReference withoutNulls(BytesReference document) {
    if (dropsNulls) {
      return document;
    }
    BytesReference rest = NullMemberRemover.removeNulls(document);
    savedBytes += document.length() - rest.length();
    return rest;
  }

  private void countSavings(
      int indexLength, int idLength, float scored, int sourceLength, Object[] values) {
    savedBytes += index ? 0 : INDEX_OVERHEAD + indexLength;
    savedBytes += id ? 0 : ID_OVERHEAD + idLength;
    if (!shouldWriteScore(scored)) {
      savedBytes += SCORE_OVERHEAD + scores.jsonOf(scored).length;
    }
    if (!source && sourceLength > 0) {
      savedBytes += SOURCE_OVERHEAD + sourceLength;
    }
    if (!sort && values.length > 0) {
      savedBytes += SORT_OVERHEAD - 1;
      for (Object value : values) {
        savedBytes += 1 + String.valueOf(value).length() + (value instanceof String ? 2 : 0);
      }
    }
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
