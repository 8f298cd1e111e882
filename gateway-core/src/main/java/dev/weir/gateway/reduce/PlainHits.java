package dev.weir.gateway.reduce;

import static dev.weir.gateway.reduce.PlainJson.ascii;
import static dev.weir.gateway.reduce.PlainJson.isPlain;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/**
 * The hits of a page that have only what most have, a place, a score, a JSON document and what they
 * are sorted by, in characters that JSON needs no escape for; written as {@code SearchHit} writes
 * them.
 */
final class PlainHits {
  private static final byte[] INDEX = ascii("{\"_index\":\"");
  private static final byte[] ID = ascii("\",\"_id\":\"");
  private static final byte[] SCORE = ascii("\",\"_score\":");
  private static final byte[] SOURCE = ascii(",\"_source\":");
  private static final byte[] SORT = ascii("\"sort\":[");
  private static final byte[] NULL = ascii("null");

  private final SearchHit[] hits;
  private final @Nullable BytesReference[] sources;
  private final PlainJson json = new PlainJson(256);
  private int lastScoreBits;
  private byte[] lastScore = NULL;

  private PlainHits(SearchHit[] hits, @Nullable BytesReference[] sources) {
    this.hits = hits;
    this.sources = sources;
    this.lastScoreBits = Float.floatToRawIntBits(Float.NaN);
  }

  /** All of these if each is plain; null if one is not. */
  static @Nullable PlainHits of(SearchHit[] hits) {
    @Nullable BytesReference[] sources = new BytesReference[hits.length];
    String plainIndex = null;
    for (int i = 0; i < hits.length; i++) {
      SearchHit hit = hits[i];
      String index = hit.getIndex();
      if (!fits(hit) || (!index.equals(plainIndex) && !isPlain(index))) {
        return null;
      }
      plainIndex = index;
      if (hit.hasSource()) {
        BytesReference source = hit.getSourceRef();
        if (source.length() == 0 || source.get(0) != '{') {
          return null;
        }
        sources[i] = source;
      }
    }
    return new PlainHits(hits, sources);
  }

  private static boolean fits(SearchHit hit) {
    return hit.getIndex() != null
        && hit.getClusterAlias() == null
        && hit.getId() != null
        && isPlain(hit.getId())
        && hit.getExplanation() == null
        && hit.getNestedIdentity() == null
        && hit.getVersion() == -1
        && hit.getSeqNo() == SequenceNumbers.UNASSIGNED_SEQ_NO
        && !Float.isInfinite(hit.getScore())
        && hit.getMetaFields().isEmpty()
        && hit.getDocumentFields().isEmpty()
        && hit.getHighlightFields().isEmpty()
        && hit.getMatchedQueriesAndScores().isEmpty()
        && hit.getInnerHits() == null
        && arePlain(hit.getSortValues());
  }

  private static boolean arePlain(Object[] values) {
    for (Object value : values) {
      boolean plain =
          value == null
              || value instanceof Long
              || value instanceof Integer
              || (value instanceof String text && isPlain(text));
      if (!plain) {
        return false;
      }
    }
    return true;
  }

  int count() {
    return hits.length;
  }

  SearchHit hit(int i) {
    return hits[i];
  }

  @Nullable BytesReference source(int i) {
    return sources[i];
  }

  /** Writes them, with commas in between. */
  void writeTo(OutputStream out) throws IOException {
    for (int i = 0; i < hits.length; i++) {
      SearchHit hit = hits[i];
      if (i > 0) {
        json.put(',');
      }
      json.put(INDEX);
      json.putPlain(hit.getIndex());
      json.put(ID);
      json.putPlain(hit.getId());
      json.put(SCORE);
      json.put(score(hit.getScore()));
      BytesReference source = sources[i];
      if (source != null) {
        json.put(SOURCE);
        json.drainTo(out);
        source.writeTo(out);
      }
      if (hit.getSortValues().length > 0) {
        json.put(',');
        appendSort(hit.getSortValues(), json);
      }
      json.put('}');
      json.drainTo(out);
    }
  }

  /** Appends what a hit is sorted by, which is something. */
  void appendSort(Object[] values, PlainJson json) {
    json.put(SORT);
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        json.put(',');
      }
      if (values[i] instanceof String text) {
        json.put('"');
        json.putPlain(text);
        json.put('"');
      } else {
        json.putPlain(String.valueOf(values[i]));
      }
    }
    json.put(']');
  }

  /** Pages are often of one score. */
  byte[] score(float score) {
    int bits = Float.floatToRawIntBits(score);
    if (bits != lastScoreBits) {
      lastScoreBits = bits;
      lastScore = Float.isNaN(score) ? NULL : ascii(scoreText(score));
    }
    return lastScore;
  }

  static String scoreText(float score) {
    return Float.isNaN(score) ? "null" : Float.toString(score);
  }
}
