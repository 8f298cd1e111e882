package dev.weir.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.transport.TransportService;

/**
 * Reads a range of an array as OpenSearch's stream, named writeables included. It never reads
 * outside of its range. Not thread-safe.
 *
 * <p>Unless it copies, {@link #readBytesReference(int)} returns slices of the array: they are valid
 * as long as the frame behind them is retained, and report their own length as their size. Do not
 * pass a slice to code that ignores its offset: in OpenSearch that is {@code
 * XContentHelper.convertToJson(BytesReference, boolean)}, behind {@code
 * SearchHit.getSourceAsString} and {@code GetResult.sourceAsString}.
 */
public final class FrameStreamInput extends StreamInput {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final long NOT_ASCII = 0x8080808080808080L;
  private static final int MAX_VINT_BYTES = 5;
  private static final int MAX_INTERNED_LENGTH = 16;
  private static final int INTERN_TABLE_SIZE = 16;

  static {
    // Without this, exceptions and generic values of the server's own types are unreadable.
    TransportService.ensureClassloaded();
  }

  private final byte[] bytes;
  private final int start;
  private final int end;
  private final NamedWriteableRegistry registry;
  private final boolean copies;
  private int at;
  private int mark;
  private String @Nullable [] names;

  /**
   * Opens a range.
   *
   * @param window the bytes in an array, which is shared
   * @param copies byte references are copied, for objects that outlive the frame
   */
  public FrameStreamInput(
      BytesArray window, Version version, NamedWriteableRegistry registry, boolean copies) {
    this(window.array(), window.offset(), window.length(), registry, copies);
    setVersion(version);
  }

  FrameStreamInput(
      byte[] bytes, int offset, int length, NamedWriteableRegistry registry, boolean copies) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.start = offset;
    this.at = offset;
    this.mark = offset;
    this.end = offset + length;
    this.registry = registry;
    this.copies = copies;
  }

  /** Returns the number of bytes read. */
  public int position() {
    return at - start;
  }

  @Override
  public byte readByte() throws EOFException {
    int i = at;
    if (i >= end) {
      throw endOfFrame(1);
    }
    at = i + 1;
    return bytes[i];
  }

  @Override
  public void readBytes(byte[] into, int offset, int length) throws EOFException {
    int i = take(length);
    System.arraycopy(bytes, i, into, offset, length);
  }

  @Override
  public BytesReference readBytesReference(int length) throws EOFException {
    if (length == 0) {
      return BytesArray.EMPTY;
    }
    int i = take(length);
    if (copies) {
      return new BytesArray(Arrays.copyOfRange(bytes, i, i + length));
    }
    return new FrameSlice(bytes, i, length, registry);
  }

  @Override
  public short readShort() throws EOFException {
    int i = take(2);
    return (short) (((bytes[i] & 0xFF) << 8) | (bytes[i + 1] & 0xFF));
  }

  @Override
  public int readInt() throws EOFException {
    return (int) INT.get(bytes, take(Integer.BYTES));
  }

  @Override
  public long readLong() throws EOFException {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  @Override
  public int readVInt() throws IOException {
    int i = at;
    if (i < end) {
      byte first = bytes[i];
      if (first >= 0) {
        at = i + 1;
        return first;
      }
    }
    return end - i >= MAX_VINT_BYTES ? longVInt(i) : super.readVInt();
  }

  private int longVInt(int from) throws IOException {
    int i = from;
    int value = bytes[i++] & 0x7F;
    for (int shift = 7; shift < 28; shift += 7) {
      byte b = bytes[i++];
      value |= (b & 0x7F) << shift;
      if (b >= 0) {
        at = i;
        return value;
      }
    }
    byte last = bytes[i++];
    if (last < 0) {
      throw new IOException("vint too long: got a fifth byte of " + last + " (expected: 0 to 127)");
    }
    at = i;
    return value | (last << 28);
  }

  @Override
  public String readString() throws IOException {
    int chars = readVInt();
    int from = at;
    if (chars < 0 || chars > end - from) {
      throw endOfFrame(chars);
    }
    int to = from + chars;
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      if (((long) LONG.get(bytes, i) & NOT_ASCII) != 0) {
        return wideString(chars);
      }
    }
    for (; i < to; i++) {
      if (bytes[i] < 0) {
        return wideString(chars);
      }
    }
    at = to;
    return chars <= MAX_INTERNED_LENGTH ? name(from, chars) : ascii(from, chars);
  }

  /**
   * Caches short strings. They are mostly names of types and fields and repeat often: a thousand
   * times in an aggregation's buckets. The same string object already knows its hash.
   */
  private String name(int from, int chars) {
    if (chars == 0) {
      return "";
    }
    int slot = (bytes[from] * 31 + bytes[from + chars - 1] * 7 + chars) & (INTERN_TABLE_SIZE - 1);
    String[] known = names;
    if (known == null) {
      known = new String[INTERN_TABLE_SIZE];
      names = known;
    }
    String name = known[slot];
    if (name == null || !isAt(name, from, chars)) {
      name = ascii(from, chars);
      known[slot] = name;
    }
    return name;
  }

  private boolean isAt(String name, int from, int chars) {
    if (name.length() != chars) {
      return false;
    }
    for (int i = 0; i < chars; i++) {
      if (name.charAt(i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }

  private String ascii(int from, int chars) {
    return new String(bytes, from, chars, StandardCharsets.ISO_8859_1);
  }

  /**
   * Reads a string with multi-byte characters: each UTF-16 unit takes one to three bytes, and
   * surrogates are separate units, as the writer encodes them.
   */
  private String wideString(int chars) throws IOException {
    char[] text = new char[chars];
    int i = at;
    for (int n = 0; n < chars; n++) {
      if (i >= end) {
        throw endOfFrame(chars - n);
      }
      int lead = bytes[i++];
      if (lead >= 0) {
        text[n] = (char) lead;
      } else if ((lead & 0xE0) == 0xC0) {
        if (i >= end) {
          throw endOfFrame(1);
        }
        text[n] = (char) (((lead & 0x1F) << 6) | (bytes[i++] & 0x3F));
      } else if ((lead & 0xF0) == 0xE0) {
        if (i >= end - 1) {
          throw endOfFrame(2);
        }
        text[n] = (char) (((lead & 0x0F) << 12) | ((bytes[i++] & 0x3F) << 6) | (bytes[i++] & 0x3F));
      } else {
        throw new IOException(
            "got a string with a lead byte of "
                + Integer.toHexString(lead & 0xFF)
                + " (expected: modified UTF-8)");
      }
    }
    at = i;
    return new String(text);
  }

  /** Skips a string, which costs less than reading it. */
  void skipString() throws IOException {
    int chars = readVInt();
    if (chars < 0 || chars > end - at) {
      throw endOfFrame(chars);
    }
    int i = at;
    int n = 0;
    for (int to = at + chars;
        i <= to - Long.BYTES && ((long) LONG.get(bytes, i) & NOT_ASCII) == 0;
        i += Long.BYTES) {
      n += Long.BYTES;
    }
    for (; n < chars; n++) {
      if (i >= end) {
        throw endOfFrame(chars - n);
      }
      int lead = bytes[i];
      i += lead >= 0 ? 1 : (lead & 0xE0) == 0xC0 ? 2 : 3;
    }
    if (i > end) {
      throw endOfFrame(i - end);
    }
    at = i;
  }

  @Override
  public NamedWriteableRegistry namedWriteableRegistry() {
    return registry;
  }

  @Override
  public <C extends NamedWriteable> C readNamedWriteable(Class<C> category) throws IOException {
    return readNamedWriteable(category, readString());
  }

  @Override
  public <C extends NamedWriteable> C readNamedWriteable(Class<C> category, String name)
      throws IOException {
    Writeable.Reader<? extends C> reader = registry.getReader(category, name);
    C read = reader.read(this);
    if (read == null) {
      throw new IOException("got null for [" + name + "] of " + reader + " (expected: an object)");
    }
    return read;
  }

  @Override
  public int available() {
    return end - at;
  }

  @Override
  protected void ensureCanReadBytes(int length) throws EOFException {
    if (length < 0 || length > end - at) {
      throw endOfFrame(length);
    }
  }

  @Override
  public int read() {
    return at < end ? bytes[at++] & 0xFF : -1;
  }

  @Override
  public int read(byte[] into, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    if (at >= end) {
      return -1;
    }
    int count = Math.min(length, end - at);
    System.arraycopy(bytes, at, into, offset, count);
    at += count;
    return count;
  }

  @Override
  public long skip(long count) {
    int skipped = (int) Math.max(0, Math.min(count, end - at));
    at += skipped;
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return true;
  }

  @Override
  public void mark(int readLimit) {
    mark = at;
  }

  /** Returns to the mark, or to the start without a mark. */
  @Override
  public void reset() {
    at = mark;
  }

  @Override
  public void close() {}

  private int take(int length) throws EOFException {
    int i = at;
    if (length < 0 || length > end - i) {
      throw endOfFrame(length);
    }
    at = i + length;
    return i;
  }

  private EOFException endOfFrame(int wanted) {
    return new EOFException(
        "read beyond the frame: got " + (end - at) + " bytes left (expected: " + wanted + ")");
  }
}
