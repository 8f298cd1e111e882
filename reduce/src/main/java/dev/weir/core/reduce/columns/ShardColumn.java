package dev.weir.core.reduce.columns;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The values of one field in the documents of one shard. The plugin's {@code ColumnValues} says how
 * they lie on the wire. Immutable.
 */
public final class ShardColumn {
  private static final Object[] NO_OBJECTS = {};
  private static final long[] NO_VALUES = {};
  private static final Kind[] KINDS = Kind.values();

  private final String name;
  private final Kind kind;

  /**
   * For each row, where its values start; then the end of the last. Null: one value in each row.
   */
  private final int @Nullable [] starts;

  private final long[] values;
  private final @Nullable Words words;
  private final Object[] objects;

  /** The kinds of values, by their numbers on the wire. */
  public enum Kind {
    /** Whole numbers of 64 bits. */
    LONG,
    /** Decimals, as the bits of a double. */
    DOUBLE,
    /** 0 and 1. */
    BOOLEAN,
    /** Milliseconds since the epoch; a hit has the {@link DateText text}. */
    DATE,
    /** The numbers of words. */
    STRING,
    /** Anything else, as objects. */
    OBJECT
  }

  private ShardColumn(
      String name,
      Kind kind,
      int @Nullable [] starts,
      long[] values,
      @Nullable Words words,
      Object[] objects) {
    this.name = name;
    this.kind = kind;
    this.starts = starts;
    this.values = values;
    this.words = words;
    this.objects = objects;
  }

  static ShardColumn read(StreamInput in, int rows) throws IOException {
    String name = in.readString();
    int number = in.readByte();
    if (number < 0 || number >= KINDS.length) {
      throw new IOException("got a column of kind " + number + " (expected: a known one)");
    }
    Kind kind = KINDS[number];
    int[] starts = readShape(in, rows);
    int count = starts == null ? rows : starts[rows];
    if (kind == Kind.OBJECT) {
      return new ShardColumn(name, kind, starts, NO_VALUES, null, readObjects(in, count));
    }
    Words words = kind == Kind.STRING ? Words.read(in) : null;
    long[] values = kind == Kind.DOUBLE ? readDecimals(in, count) : readWhole(in, count);
    if (words != null) {
      checkWords(values, words.count());
    }
    return new ShardColumn(name, kind, starts, values, words, NO_OBJECTS);
  }

  private static void checkWords(long[] values, int count) throws IOException {
    for (long value : values) {
      if (value < 0 || value >= count) {
        throw new IOException("got word " + value + " of " + count + " (expected: one of them)");
      }
    }
  }

  private static int @Nullable [] readShape(StreamInput in, int rows) throws IOException {
    int shape = in.readByte();
    if (shape == 0) {
      return null;
    }
    int[] starts = new int[rows + 1];
    if (shape == 1) {
      byte[] bits = new byte[(rows + 7) / 8];
      in.readBytes(bits, 0, bits.length);
      for (int i = 0; i < rows; i++) {
        starts[i + 1] = starts[i] + (bits[i >> 3] >> (i & 7) & 1);
      }
    } else if (shape == 2) {
      for (int i = 0; i < rows; i++) {
        starts[i + 1] = starts[i] + in.readVInt();
        if (starts[i + 1] < starts[i]) {
          throw new IOException("got too many values of a column (expected: under 2^31)");
        }
      }
    } else {
      throw new IOException("got a column of shape " + shape + " (expected: 0, 1 or 2)");
    }
    return starts;
  }

  private static Object[] readObjects(StreamInput in, int count) throws IOException {
    checkBytes(in, count, 1);
    Object[] objects = new Object[count];
    for (int i = 0; i < count; i++) {
      objects[i] = in.readGenericValue();
    }
    return objects;
  }

  private static long[] readWhole(StreamInput in, int count) throws IOException {
    int width = in.readByte();
    checkBytes(in, count, width);
    byte[] bytes = readBytes(in, count, width);
    long[] values = new long[count];
    int unused = Long.SIZE - 8 * width;
    for (int i = 0; i < count; i++) {
      values[i] = readLittleEndian(bytes, i * width, width) << unused >> unused;
    }
    return values;
  }

  private static long[] readDecimals(StreamInput in, int count) throws IOException {
    int width = in.readByte();
    checkBytes(in, count, width);
    byte[] bytes = readBytes(in, count, width);
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      long bits = readLittleEndian(bytes, i * width, width);
      values[i] =
          width == Float.BYTES
              ? Double.doubleToRawLongBits(Float.intBitsToFloat((int) bits))
              : bits;
    }
    return values;
  }

  private static void checkBytes(StreamInput in, int count, int width) throws IOException {
    if (count < 0 || width < 1 || width > Long.BYTES || (long) count * width > in.available()) {
      throw new IOException(
          "got "
              + count
              + " values of "
              + width
              + " bytes in "
              + in.available()
              + " bytes (expected: as many bytes)");
    }
  }

  private static byte[] readBytes(StreamInput in, int count, int width) throws IOException {
    byte[] bytes = new byte[count * width];
    in.readBytes(bytes, 0, bytes.length);
    return bytes;
  }

  private static long readLittleEndian(byte[] bytes, int at, int width) {
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = value << 8 | (bytes[at + i] & 0xff);
    }
    return value;
  }

  /** Returns the name of the field. */
  public String name() {
    return name;
  }

  /** Returns the kind of all values. */
  public Kind kind() {
    return kind;
  }

  /** Returns the position of a row's first value. */
  public int start(int row) {
    return starts == null ? row : starts[row];
  }

  /** Returns the position behind a row's last value. */
  public int end(int row) {
    return starts == null ? row + 1 : starts[row + 1];
  }

  /** Returns the number at a position; for words the word's. Only of kinds other than objects. */
  public long value(int at) {
    return values[at];
  }

  /** Returns the words of a column of strings. */
  public Words words() {
    if (words == null) {
      throw new IllegalStateException("got a column of " + kind + " (expected: STRING)");
    }
    return words;
  }

  /** Returns the value at a position as a hit has it. */
  public Object object(int at) {
    return switch (kind) {
      case LONG -> values[at];
      case DOUBLE -> Double.longBitsToDouble(values[at]);
      case BOOLEAN -> values[at] != 0;
      case DATE -> DateText.of(values[at]);
      case STRING -> words().word((int) values[at]);
      case OBJECT -> objects[at];
    };
  }
}
