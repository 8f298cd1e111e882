package dev.weir.node.columns;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.DocValueFormat;

/**
 * The values of one column. They come document by document, in any order of rows. Used by one
 * thread.
 *
 * <p>On the wire: the name as a string; the {@linkplain Kind kind} and the shape as a byte each;
 * the shape's data; for words their {@linkplain WordList list}; the values of all rows in their
 * order.
 *
 * <table>
 * <caption>Shapes</caption>
 * <tr><td>0</td><td>each row has one value; no data</td></tr>
 * <tr><td>1</td><td>a row has one value or none: a bit for each row, the first row in the lowest bit
 * of the first byte, set if it has a value</td></tr>
 * <tr><td>2</td><td>a vint for each row with the number of its values</td></tr>
 * </table>
 *
 * <p>Values of whole numbers, dates, booleans and words are preceded by a byte with their width: 1,
 * 2, 4 or 8 bytes, little-endian, signed. Decimals have a width of 4 or 8 and are IEEE 754 floats
 * or doubles, little-endian. Objects have no width and are generic values of OpenSearch's streams.
 */
final class ColumnValues {
  /** The kinds of values; the wire has their ordinals. */
  enum Kind {
    /** Whole numbers of 64 bits. */
    LONG,
    /** Decimals of 64 bits. */
    DOUBLE,
    /** 0 and 1. */
    BOOLEAN,
    /** Milliseconds since the epoch, for the text {@code yyyy-MM-dd'T'HH:mm:ss.SSS'Z'}. */
    DATE,
    /** Numbers of words. */
    STRING,
    /** Numbers of objects. */
    OBJECT
  }

  private static final int ONE_EACH = 0;
  private static final int ONE_AT_MOST = 1;
  private static final int ANY_NUMBER = 2;

  private final String name;
  private final int[] starts;
  private final int[] counts;
  private final WordList words = new WordList();
  private final List<Object> objects = new ArrayList<>();
  private long[] values;
  private int size;
  private int row;
  private @Nullable Kind kind;

  ColumnValues(String name, int rows) {
    this.name = name;
    this.starts = new int[rows];
    this.counts = new int[rows];
    this.values = new long[rows];
  }

  /** Starts the values of a row; a row is started at most once. */
  void startRow(int number) {
    row = number;
    starts[number] = size;
  }

  void addLong(long value) {
    add(Kind.LONG, value);
  }

  void addDouble(double value) {
    add(Kind.DOUBLE, Double.doubleToRawLongBits(value));
  }

  /**
   * Adds a date. Where its text can't be written from its milliseconds, all of the column's dates
   * become words.
   *
   * @param millis since the epoch
   * @param format writes the text
   */
  void addDate(long millis, DocValueFormat format) {
    if (kind != Kind.STRING && DateTexts.isPrintable(millis)) {
      add(Kind.DATE, millis);
      return;
    }
    if (kind == Kind.DATE) {
      for (int i = 0; i < size; i++) {
        values[i] = words.numberOf((String) format.format(values[i]));
      }
      kind = Kind.STRING;
    }
    addWord(words.numberOf((String) format.format(millis)));
  }

  /** Returns the number by which {@link #addWord} adds a word. */
  int wordNumber(String word) {
    return words.numberOf(word);
  }

  void addWord(int number) {
    add(Kind.STRING, number);
  }

  /** Adds a value of any class that OpenSearch's streams can write. */
  void addObject(Object value) {
    switch (value) {
      case Long number -> addLong(number);
      case Double number -> addDouble(number);
      case Boolean is -> add(Kind.BOOLEAN, is ? 1 : 0);
      case String text -> addWord(words.numberOf(text));
      default -> {
        objects.add(value);
        add(Kind.OBJECT, objects.size() - 1);
      }
    }
  }

  private void add(Kind of, long value) {
    if (kind != of) {
      if (kind != null) {
        throw new IllegalArgumentException(
            "got " + of + " after " + kind + " in " + name + " (expected: values of one kind)");
      }
      kind = of;
    }
    if (size == values.length) {
      values = Arrays.copyOf(values, Math.max(16, size * 2));
    }
    values[size++] = value;
    counts[row]++;
  }

  void writeTo(StreamOutput out) throws IOException {
    Kind of = kind == null ? Kind.LONG : kind;
    out.writeString(name);
    out.writeByte((byte) of.ordinal());
    writeShape(out);
    long[] ordered = inRowOrder();
    switch (of) {
      case LONG, BOOLEAN, DATE -> writeWhole(ordered, out);
      case STRING -> {
        words.writeTo(out);
        writeWhole(ordered, out);
      }
      case DOUBLE -> writeDecimals(ordered, out);
      case OBJECT -> {
        for (long value : ordered) {
          out.writeGenericValue(objects.get((int) value));
        }
      }
    }
  }

  private void writeShape(StreamOutput out) throws IOException {
    int most = 0;
    int least = Integer.MAX_VALUE;
    for (int count : counts) {
      most = Math.max(most, count);
      least = Math.min(least, count);
    }
    if (most == 1 && least == 1) {
      out.writeByte((byte) ONE_EACH);
    } else if (most <= 1) {
      out.writeByte((byte) ONE_AT_MOST);
      byte[] bits = new byte[(counts.length + 7) / 8];
      for (int i = 0; i < counts.length; i++) {
        bits[i >> 3] |= (byte) (counts[i] << (i & 7));
      }
      out.writeBytes(bits, 0, bits.length);
    } else {
      out.writeByte((byte) ANY_NUMBER);
      for (int count : counts) {
        out.writeVInt(count);
      }
    }
  }

  private long[] inRowOrder() {
    long[] ordered = new long[size];
    int at = 0;
    for (int i = 0; i < counts.length; i++) {
      int count = counts[i];
      if (count == 1) {
        ordered[at++] = values[starts[i]];
      } else {
        System.arraycopy(values, starts[i], ordered, at, count);
        at += count;
      }
    }
    return ordered;
  }

  private static void writeWhole(long[] ordered, StreamOutput out) throws IOException {
    long min = 0;
    long max = 0;
    for (long value : ordered) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    int width =
        min >= Byte.MIN_VALUE && max <= Byte.MAX_VALUE
            ? 1
            : min >= Short.MIN_VALUE && max <= Short.MAX_VALUE
                ? 2
                : min >= Integer.MIN_VALUE && max <= Integer.MAX_VALUE ? 4 : 8;
    write(ordered, width, out);
  }

  private static void writeDecimals(long[] ordered, StreamOutput out) throws IOException {
    boolean areFloats = true;
    for (long bits : ordered) {
      double value = Double.longBitsToDouble(bits);
      areFloats = areFloats && Double.doubleToRawLongBits((float) value) == bits;
    }
    if (areFloats) {
      for (int i = 0; i < ordered.length; i++) {
        ordered[i] = Float.floatToRawIntBits((float) Double.longBitsToDouble(ordered[i]));
      }
    }
    write(ordered, areFloats ? Float.BYTES : Double.BYTES, out);
  }

  private static void write(long[] ordered, int width, StreamOutput out) throws IOException {
    byte[] bytes = new byte[ordered.length * width];
    int at = 0;
    for (long value : ordered) {
      for (int shift = 0; shift < width * 8; shift += 8) {
        bytes[at++] = (byte) (value >>> shift);
      }
    }
    out.writeByte((byte) width);
    out.writeBytes(bytes, 0, bytes.length);
  }
}
