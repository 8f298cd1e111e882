package dev.weir.core.reduce.hits;

import dev.weir.model.JsonBuffer;
import dev.weir.protocol.FrameStreamInput;
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
 * The hits of a fetch result as they lie in its reply frame. Each hit has nothing but an id, a
 * score and a JSON document. The class records the positions of these and creates no objects. Valid
 * as long as the frame is retained; immutable.
 *
 * <p>The layout is that of OpenSearch's {@code SearchHits} and {@code SearchHit}: the optional
 * parts, which most hits lack, are a fixed run of bytes before and after the document.
 */
public final class FrameHits {
  /** Recorded values per hit: start and length of its id, start and length of its document. */
  private static final int VALUES_PER_HIT = 4;

  private static final int SCORE_INDEX = Float.BYTES;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The lowest and the highest bit of each byte of a long. */
  private static final long LOW_BITS = 0x0101010101010101L;

  private static final long HIGH_BITS = LOW_BITS << 7;

  /** No identity within a document, version -1, sequence number -2 (a zigzag 3), primary term 0. */
  private static final int UNVERSIONED = 1 + Long.BYTES + 2;

  /**
   * The absent parts after the document: explanation, fields, metadata fields, highlights, sort
   * values (formatted and raw), matched queries, shard and inner hits.
   */
  private static final int NO_SOURCE = 9;

  /** The absent parts after the hits: sort fields, collapse field and its values. */
  private static final int UNSORTED = 3;

  private final byte[] bytes;
  private final int[] hitLayout;
  private final BytesArray responseBytes;
  private final Version version;
  private final NamedWriteableRegistry registry;

  private FrameHits(
      byte[] bytes,
      int[] notes,
      BytesArray answer,
      Version version,
      NamedWriteableRegistry registry) {
    this.bytes = bytes;
    this.hitLayout = notes;
    this.responseBytes = answer;
    this.version = version;
    this.registry = registry;
  }

  /**
   * Records the positions of the hits. Returns null if one has other parts, or if the hits cannot
   * be read in place. Throws if the reply is too short for its number of hits.
   *
   * @param in at the beginning of a {@code FetchSearchResult}; its position is restored afterwards
   * @param contextBytes the length of the search context's id
   */
  static @Nullable FrameHits scan(FrameStreamInput in, int contextBytes) throws IOException {
    in.mark(0);
    BytesReference rest = in.readBytesReference(in.available());
    in.reset();
    BytesRef ref = rest.toBytesRef();
    Scanner scan = new Scanner(ref.bytes, ref.offset + contextBytes, ref.offset + ref.length);
    int[] notes = scan.scanHits(in.getVersion().onOrAfter(Version.V_3_2_0));
    return notes == null
        ? null
        : new FrameHits(
            ref.bytes,
            notes,
            new BytesArray(ref.bytes, ref.offset, ref.length),
            in.getVersion(),
            in.namedWriteableRegistry());
  }

  public int count() {
    return hitLayout.length / VALUES_PER_HIT;
  }

  /** Returns the hit's own score, which a search that sorts by fields does not use. */
  float score(int i) {
    int at = hitLayout[VALUES_PER_HIT * i] - Integer.BYTES - SCORE_INDEX;
    return Float.intBitsToFloat(Scanner.readInt(bytes, at));
  }

  int idLength(int i) {
    return hitLayout[VALUES_PER_HIT * i + 1];
  }

  void writeId(int i, JsonBuffer json) {
    json.write(bytes, hitLayout[VALUES_PER_HIT * i], hitLayout[VALUES_PER_HIT * i + 1]);
  }

  /** Sets {@code at} to the document's bytes. Returns false if the hit has no document. */
  boolean locateSource(int i, BytesRef at) {
    at.bytes = bytes;
    at.offset = hitLayout[VALUES_PER_HIT * i + 2];
    at.length = hitLayout[VALUES_PER_HIT * i + 3];
    return at.length > 0;
  }

  int sourceLength(int i) {
    return hitLayout[VALUES_PER_HIT * i + 3];
  }

  byte[] bytes() {
    return bytes;
  }

  int idOffset(int i) {
    return hitLayout[VALUES_PER_HIT * i];
  }

  int sourceOffset(int i) {
    return hitLayout[VALUES_PER_HIT * i + 2];
  }

  /** Reads the whole fetch result with OpenSearch's reader. */
  public FetchSearchResult materialize(Writeable.Reader<FetchSearchResult> reader)
      throws IOException {
    return reader.read(new FrameStreamInput(responseBytes, version, registry, false));
  }

  /** Scans bytes that may differ from the expected layout. */
  private static final class Scanner {
    private final byte[] bytes;
    private final int end;
    private int position;

    Scanner(byte[] bytes, int from, int end) {
      this.bytes = bytes;
      this.position = from;
      this.end = end;
    }

    int @Nullable [] scanHits(boolean profiles) throws IOException {
      if (!skipTotalHits() || !hasRemaining(SCORE_INDEX)) {
        return null;
      }
      position += SCORE_INDEX;
      int count = readVInt();
      if (count > end - position) { // OpenSearch's reader would allocate an array of this length
        throw new IOException(
            "got " + count + " hits in " + (end - position) + " bytes (expected: more bytes)");
      }
      if (count < 0 || count > (end - position) / (SCORE_INDEX + UNVERSIONED + NO_SOURCE)) {
        return null;
      }
      int[] notes = new int[VALUES_PER_HIT * count];
      for (int i = 0; i < notes.length; i += VALUES_PER_HIT) {
        if (!scanHit(notes, i)) {
          return null;
        }
      }
      return skipZeros(UNSORTED + (profiles ? 1 : 0)) && position == end ? notes : null;
    }

    private boolean skipTotalHits() {
      if (!hasRemaining(1)) {
        return false;
      }
      if (bytes[position++] == 0) {
        return true;
      }
      while (hasRemaining(1) && bytes[position] < 0) { // a vlong
        position++;
      }
      position += 2; // and its relation
      return position <= end;
    }

    private boolean scanHit(int[] notes, int i) {
      if (!hasRemaining(SCORE_INDEX + Integer.BYTES)) {
        return false;
      }
      position += SCORE_INDEX;
      int idLength = readInt(bytes, position);
      position += Integer.BYTES;
      if (idLength < 0 || !hasRemaining(idLength) || !isPlain(idLength)) {
        return false;
      }
      notes[i] = position;
      notes[i + 1] = idLength;
      position += idLength;
      if (!skipUnversioned()) {
        return false;
      }
      int length = readVInt();
      if (length < 0 || !hasRemaining(length) || (length > 0 && bytes[position] != '{')) {
        return false;
      }
      notes[i + 2] = position;
      notes[i + 3] = length;
      position += length;
      return skipZeros(NO_SOURCE);
    }

    private boolean skipUnversioned() {
      if (!hasRemaining(UNVERSIONED)) {
        return false;
      }
      int from = position;
      position += UNVERSIONED;
      return bytes[from] == 0
          && (long) LONG.get(bytes, from + 1) == -1
          && bytes[from + 9] == 3
          && bytes[from + 10] == 0;
    }

    private boolean isPlain(int length) {
      int i = position;
      for (; i <= position + length - Long.BYTES; i += Long.BYTES) {
        if (!isPlain((long) LONG.get(bytes, i))) {
          return false;
        }
      }
      for (; i < position + length; i++) {
        byte b = bytes[i];
        if (b < ' ' || b > '~' || b == '"' || b == '\\') {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns whether each of the eight bytes is plain. A byte that borrows from its neighbour is
     * not plain itself, so the test is exact.
     */
    private static boolean isPlain(long eight) {
      long controls = eight - LOW_BITS * ' ';
      long deletes = eight + LOW_BITS;
      long quotes = (eight ^ LOW_BITS * '"') - LOW_BITS;
      long escapes = (eight ^ LOW_BITS * '\\') - LOW_BITS;
      return ((eight | controls | deletes | quotes | escapes) & HIGH_BITS) == 0;
    }

    private boolean skipZeros(int count) {
      if (!hasRemaining(count)) {
        return false;
      }
      int or = 0;
      for (int i = 0; i < count; i++) {
        or |= bytes[position++];
      }
      return or == 0;
    }

    /** Returns -1 if there is no valid vint. */
    private int readVInt() {
      int value = 0;
      for (int shift = 0; shift < 32 && position < end; shift += 7) {
        byte b = bytes[position++];
        value |= (b & 0x7F) << shift;
        if (b >= 0) {
          return value;
        }
      }
      return -1;
    }

    private boolean hasRemaining(int count) {
      return count <= end - position;
    }

    static int readInt(byte[] bytes, int at) {
      return ((bytes[at] & 0xFF) << 24)
          | ((bytes[at + 1] & 0xFF) << 16)
          | ((bytes[at + 2] & 0xFF) << 8)
          | (bytes[at + 3] & 0xFF);
    }
  }
}
