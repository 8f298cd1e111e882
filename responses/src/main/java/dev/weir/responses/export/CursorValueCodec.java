package dev.weir.responses.export;

import java.io.IOException;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Encodes a row's sort values. {@code search_after} takes no other types. Cursors are signed; but
 * the gateways that share a secret may have different versions, so decoding checks what it reads,
 * and takes no more memory than the input has bytes.
 */
final class CursorValueCodec {
  private static final int MAX_VALUES = 64;

  private static final byte NULL = 0;
  private static final byte LONG = 1;
  private static final byte INT = 2;
  private static final byte DOUBLE = 3;
  private static final byte FLOAT = 4;
  private static final byte TEXT = 5;
  private static final byte TRUE = 6;
  private static final byte FALSE = 7;
  private static final byte BIG_INTEGER = 8;

  private CursorValueCodec() {}

  /**
   * Writes sort values; null for none.
   *
   * @throws IllegalArgumentException if search_after does not support a value
   */
  static void write(Object @Nullable [] values, StreamOutput out) throws IOException {
    if (values == null) {
      out.writeVInt(0);
      return;
    }
    out.writeVInt(values.length);
    for (Object value : values) {
      write(value, out);
    }
  }

  private static void write(@Nullable Object value, StreamOutput out) throws IOException {
    switch (value) {
      case null -> out.writeByte(NULL);
      case Long number -> {
        out.writeByte(LONG);
        out.writeZLong(number);
      }
      case Integer number -> {
        out.writeByte(INT);
        out.writeInt(number);
      }
      case Double number -> {
        out.writeByte(DOUBLE);
        out.writeDouble(number);
      }
      case Float number -> {
        out.writeByte(FLOAT);
        out.writeFloat(number);
      }
      case String text -> {
        out.writeByte(TEXT);
        out.writeString(text);
      }
      case Boolean is -> out.writeByte(is ? TRUE : FALSE);
      case BigInteger number -> {
        out.writeByte(BIG_INTEGER);
        out.writeByteArray(number.toByteArray());
      }
      default ->
          throw new IllegalArgumentException(
              "got a row that is sorted by a "
                  + value.getClass().getSimpleName()
                  + " (expected: numbers, texts, true or false)");
    }
  }

  /** Reads sort values; null for none. */
  static @Nullable Object @Nullable [] read(StreamInput in) throws IOException {
    int count = in.readVInt();
    if (count == 0) {
      return null;
    }
    if (count < 0 || count > MAX_VALUES) {
      throw new IllegalArgumentException(
          "got " + count + " values (expected: at most " + MAX_VALUES + ")");
    }
    @Nullable Object[] values = new Object[count];
    for (int i = 0; i < count; i++) {
      values[i] = readValue(in);
    }
    return values;
  }

  private static @Nullable Object readValue(StreamInput in) throws IOException {
    byte type = in.readByte();
    return switch (type) {
      case NULL -> null;
      case LONG -> in.readZLong();
      case INT -> in.readInt();
      case DOUBLE -> in.readDouble();
      case FLOAT -> in.readFloat();
      case TEXT -> in.readString();
      case TRUE -> true;
      case FALSE -> false;
      case BIG_INTEGER -> new BigInteger(in.readByteArray());
      default ->
          throw new IllegalArgumentException("got a value of type " + type + " (expected: 0 to 8)");
    };
  }
}
