package dev.weir.core.reduce;

import dev.weir.core.reduce.json.PlainJson;
import dev.weir.protocol.FrameInput;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.fetch.FetchSearchResult;

/**
 * The hits of a shard's answer to the fetch phase as they lie in its frame, each of which has
 * nothing but an id, a score and a JSON document. Where these lie is noted; no object is made of
 * them. Valid as long as the frame is retained; immutable.
 *
 * <p>The layout is that of OpenSearch's {@code SearchHits} and {@code SearchHit}: what most hits do
 * not have is a fixed run of bytes before and behind the document.
 */
final class FrameHits {
  /** Ints that are noted of a hit: where its id begins, its length, the same of its document. */
  private static final int NOTES = 4;

  private static final int SCORE = Float.BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** A bit of each byte of a long: its lowest, and its highest. */
  private static final long LOWEST = 0x0101010101010101L;

  private static final long HIGHEST = LOWEST << 7;

  /** No identity within a document, version -1, sequence number -2 (a zigzag 3), primary term 0. */
  private static final int UNVERSIONED = 1 + Long.BYTES + 2;

  /**
   * No explanation, fields, metadata fields, highlights, values sorted by (formatted and raw),
   * matched queries, shard and inner hits.
   */
  private static final int NOTHING = 9;

  /** No fields that are sorted by, field collapsed on, and its values. */
  private static final int UNSORTED = 3;

  private final byte[] bytes;
  private final int[] notes;
  private final BytesArray answer;
  private final Version version;
  private final NamedWriteableRegistry registry;

  private FrameHits(
      byte[] bytes,
      int[] notes,
      BytesArray answer,
      Version version,
      NamedWriteableRegistry registry) {
    this.bytes = bytes;
    this.notes = notes;
    this.answer = answer;
    this.version = version;
    this.registry = registry;
  }

  /**
   * Notes where the hits lie; null if one has more, or if they can't be read in place.
   *
   * @param in at the beginning of a {@code FetchSearchResult}, and there again afterwards
   * @param contextBytes how long its context's id is
   */
  static @Nullable FrameHits scan(FrameInput in, int contextBytes) throws IOException {
    in.mark(0);
    BytesReference rest = in.readBytesReference(in.available());
    in.reset();
    BytesRef ref = rest.toBytesRef();
    Scan scan = new Scan(ref.bytes, ref.offset + contextBytes, ref.offset + ref.length);
    int[] notes = scan.hits(in.getVersion().onOrAfter(Version.V_3_2_0));
    return notes == null
        ? null
        : new FrameHits(
            ref.bytes,
            notes,
            new BytesArray(ref.bytes, ref.offset, ref.length),
            in.getVersion(),
            in.namedWriteableRegistry());
  }

  int count() {
    return notes.length / NOTES;
  }

  /** The score that came with the hit; not that of a search that is not sorted by it. */
  float score(int i) {
    int at = notes[NOTES * i] - Integer.BYTES - SCORE;
    return Float.intBitsToFloat(Scan.int32(bytes, at));
  }

  int idLength(int i) {
    return notes[NOTES * i + 1];
  }

  void putId(int i, PlainJson json) {
    json.put(bytes, notes[NOTES * i], notes[NOTES * i + 1]);
  }

  /** Says where the document lies; whether there is one. */
  boolean source(int i, BytesRef at) {
    at.bytes = bytes;
    at.offset = notes[NOTES * i + 2];
    at.length = notes[NOTES * i + 3];
    return at.length > 0;
  }

  int sourceLength(int i) {
    return notes[NOTES * i + 3];
  }

  byte[] bytes() {
    return bytes;
  }

  int idFrom(int i) {
    return notes[NOTES * i];
  }

  int sourceFrom(int i) {
    return notes[NOTES * i + 2];
  }

  /** Reads the answer as OpenSearch does. */
  FetchSearchResult read(Writeable.Reader<FetchSearchResult> reader) throws IOException {
    return reader.read(new FrameInput(answer, version, registry, false));
  }

  /** Goes over bytes that may not be what is expected. */
  private static final class Scan {
    private final byte[] bytes;
    private final int end;
    private int at;

    Scan(byte[] bytes, int from, int end) {
      this.bytes = bytes;
      this.at = from;
      this.end = end;
    }

    int @Nullable [] hits(boolean profiles) {
      if (!skipTotal() || !has(SCORE)) {
        return null;
      }
      at += SCORE;
      int count = vint();
      if (count < 0 || count > (end - at) / (SCORE + UNVERSIONED + NOTHING)) {
        return null;
      }
      int[] notes = new int[NOTES * count];
      for (int i = 0; i < notes.length; i += NOTES) {
        if (!hit(notes, i)) {
          return null;
        }
      }
      return zeros(UNSORTED + (profiles ? 1 : 0)) && at == end ? notes : null;
    }

    private boolean skipTotal() {
      if (!has(1)) {
        return false;
      }
      if (bytes[at++] == 0) {
        return true;
      }
      while (has(1) && bytes[at] < 0) { // a vlong
        at++;
      }
      at += 2; // and how exact it is
      return at <= end;
    }

    private boolean hit(int[] notes, int i) {
      if (!has(SCORE + Integer.BYTES)) {
        return false;
      }
      at += SCORE;
      int idLength = int32(bytes, at);
      at += Integer.BYTES;
      if (idLength < 0 || !has(idLength) || !plain(idLength)) {
        return false;
      }
      notes[i] = at;
      notes[i + 1] = idLength;
      at += idLength;
      if (!unversioned()) {
        return false;
      }
      int length = vint();
      if (length < 0 || !has(length) || (length > 0 && bytes[at] != '{')) {
        return false;
      }
      notes[i + 2] = at;
      notes[i + 3] = length;
      at += length;
      return zeros(NOTHING);
    }

    private boolean unversioned() {
      if (!has(UNVERSIONED)) {
        return false;
      }
      int from = at;
      at += UNVERSIONED;
      return bytes[from] == 0
          && (long) LONG.get(bytes, from + 1) == -1
          && bytes[from + 9] == 3
          && bytes[from + 10] == 0;
    }

    private boolean plain(int length) {
      int i = at;
      for (; i <= at + length - Long.BYTES; i += Long.BYTES) {
        if (!plain((long) LONG.get(bytes, i))) {
          return false;
        }
      }
      for (; i < at + length; i++) {
        byte b = bytes[i];
        if (b < ' ' || b > '~' || b == '"' || b == '\\') {
          return false;
        }
      }
      return true;
    }

    /** Whether each of eight bytes is; a byte that borrows from the next is none itself. */
    private static boolean plain(long eight) {
      long controls = eight - LOWEST * ' ';
      long deletes = eight + LOWEST;
      long quotes = (eight ^ LOWEST * '"') - LOWEST;
      long escapes = (eight ^ LOWEST * '\\') - LOWEST;
      return ((eight | controls | deletes | quotes | escapes) & HIGHEST) == 0;
    }

    private boolean zeros(int count) {
      if (!has(count)) {
        return false;
      }
      int or = 0;
      for (int i = 0; i < count; i++) {
        or |= bytes[at++];
      }
      return or == 0;
    }

    /** Negative for none. */
    private int vint() {
      int value = 0;
      for (int shift = 0; shift < 32 && at < end; shift += 7) {
        byte b = bytes[at++];
        value |= (b & 0x7F) << shift;
        if (b >= 0) {
          return value;
        }
      }
      return -1;
    }

    private boolean has(int count) {
      return count <= end - at;
    }

    static int int32(byte[] bytes, int at) {
      return ((bytes[at] & 0xFF) << 24)
          | ((bytes[at + 1] & 0xFF) << 16)
          | ((bytes[at + 2] & 0xFF) << 8)
          | (bytes[at + 3] & 0xFF);
    }
  }
}
