package dev.weir.gateway.reduce;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
  private static final byte[] SORT = ascii(",\"sort\":[");
  private static final byte[] NULL = ascii("null");

  private final SearchHit[] hits;
  private final @Nullable BytesReference[] sources;
  private byte[] line = new byte[256];
  private int length;
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
      if (!isPlain(hit) || (!index.equals(plainIndex) && !isPlain(index))) {
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

  private static boolean isPlain(SearchHit hit) {
    return hit.getIndex() != null
        && hit.getClusterAlias() == null
        && isPlain(hit.getId())
        && hit.getExplanation() == null
        && hit.getNestedIdentity() == null
        && hit.getVersion() == -1
        && hit.getSeqNo() == SequenceNumbers.UNASSIGNED_SEQ_NO
        && !Float.isInfinite(hit.getScore())
        && hit.getMetaFields().isEmpty()
        && hit.getDocumentFields().isEmpty()
        && hit.getHighlightFields().isEmpty()
        && hit.getMatchedQueries().length == 0
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

  /** Whether a JSON generator writes it as it is, whatever it is told to escape. */
  private static boolean isPlain(@Nullable String text) {
    if (text == null) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '/') {
        return false;
      }
    }
    return true;
  }

  /** Writes them, with commas in between. */
  void writeTo(OutputStream out) throws IOException {
    for (int i = 0; i < hits.length; i++) {
      SearchHit hit = hits[i];
      length = 0;
      if (i > 0) {
        append((byte) ',');
      }
      append(INDEX);
      append(hit.getIndex());
      append(ID);
      append(hit.getId());
      append(SCORE);
      append(score(hit.getScore()));
      BytesReference source = sources[i];
      if (source != null) {
        append(SOURCE);
        out.write(line, 0, length);
        source.writeTo(out);
        length = 0;
      }
      appendSort(hit.getSortValues());
      append((byte) '}');
      out.write(line, 0, length);
    }
  }

  private void appendSort(Object[] values) {
    if (values.length == 0) {
      return;
    }
    append(SORT);
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        append((byte) ',');
      }
      if (values[i] instanceof String text) {
        append((byte) '"');
        append(text);
        append((byte) '"');
      } else {
        append(String.valueOf(values[i]));
      }
    }
    append((byte) ']');
  }

  /** Pages are often of one score. */
  private byte[] score(float score) {
    int bits = Float.floatToRawIntBits(score);
    if (bits != lastScoreBits) {
      lastScoreBits = bits;
      lastScore = Float.isNaN(score) ? NULL : ascii(Float.toString(score));
    }
    return lastScore;
  }

  private void append(byte b) {
    room(1);
    line[length++] = b;
  }

  private void append(byte[] bytes) {
    room(bytes.length);
    System.arraycopy(bytes, 0, line, length, bytes.length);
    length += bytes.length;
  }

  @SuppressWarnings("deprecation") // the lower bytes of the characters are what is wanted
  private void append(String plain) {
    room(plain.length());
    plain.getBytes(0, plain.length(), line, length);
    length += plain.length();
  }

  private void room(int more) {
    if (line.length - length < more) {
      line = Arrays.copyOf(line, Math.max(2 * line.length, length + more));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
