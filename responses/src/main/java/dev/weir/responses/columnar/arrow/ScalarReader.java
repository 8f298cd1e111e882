package dev.weir.responses.columnar.arrow;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.ValueKinds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON value that is no list as a given Arrow type. Like OpenSearch, it also reads
 * numbers, dates and booleans from strings. Used by one thread.
 */
final class ScalarReader {
  private static final BigInteger UNSIGNED_END = BigInteger.ONE.shiftLeft(64);
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final FormattedDateReader dateReader;
  private final JsonBuffer unescapedText = new JsonBuffer(64);
  private byte[] text = {};
  private int textOffset;
  private int textLength;
  private long number;

  ScalarReader(FormattedDateReader instants) {
    this.dateReader = instants;
  }

  /** Returns the last integer, date (in its unit) or boolean; for a decimal its bits. */
  long number() {
    return number;
  }

  /** Returns the array of the last text; valid as long as the input is. */
  byte[] text() {
    return text;
  }

  /** Returns the offset of the last text in its array. */
  int textOffset() {
    return textOffset;
  }

  /** Returns the length of the last text in bytes. */
  int textLength() {
    return textLength;
  }

  /** Returns true if complete dates in UTC are dates of the column. */
  boolean isDateFormatKnown() {
    return dateReader.isFormatKnown();
  }

  /** Reads a value; returns false if it does not have this type. */
  boolean read(ArrowType type, byte[] json, int from, int to, int kind) {
    return switch (type) {
      case INT8 -> readInteger(json, from, to, kind, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16 -> readInteger(json, from, to, kind, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32 -> readInteger(json, from, to, kind, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> readInteger(json, from, to, kind, Long.MIN_VALUE, Long.MAX_VALUE);
      case UINT64 -> readUnsigned(json, from, to, kind);
      case FLOAT32 -> readDecimal(json, from, to, kind, true);
      case FLOAT64 -> readDecimal(json, from, to, kind, false);
      case BOOL -> readBoolean(json, from, to, kind);
      case MILLIS -> readDate(json, from, to, kind, false);
      case NANOS -> readDate(json, from, to, kind, true);
      case DICTIONARY_TEXT, TEXT -> readText(json, from, to, kind);
      case JSON -> readJson(json, from, to);
      case POINT, STRUCT, NULL -> false;
    };
  }

  private boolean readInteger(byte[] json, int from, int to, int kind, long least, long most) {
    if (kind == ValueKinds.INTEGER && to - from < 19) {
      number = PlainValueParser.parseLong(json, from, to);
    } else {
      BigDecimal exact = parseExact(json, from, to, kind);
      if (exact == null || !isLong(exact)) {
        return false;
      }
      number = exact.longValueExact();
    }
    return number >= least && number <= most;
  }

  private static boolean isLong(BigDecimal exact) {
    return isInteger(exact) && exact.toBigInteger().bitLength() < 64;
  }

  private boolean readUnsigned(byte[] json, int from, int to, int kind) {
    BigDecimal exact = parseExact(json, from, to, kind);
    if (exact == null || exact.signum() < 0 || !isInteger(exact)) {
      return false;
    }
    BigInteger whole = exact.toBigInteger();
    number = whole.longValue();
    return whole.compareTo(UNSIGNED_END) < 0;
  }

  /** Returns true for a number without a fraction and with few enough digits for a cheap check. */
  private static boolean isInteger(BigDecimal exact) {
    return (long) exact.precision() - exact.scale() <= 20
        && exact.scale() <= 100
        && exact.stripTrailingZeros().scale() <= 0;
  }

  private @Nullable BigDecimal parseExact(byte[] json, int from, int to, int kind) {
    String shown = number(json, from, to, kind);
    try {
      return shown == null ? null : new BigDecimal(shown);
    } catch (NumberFormatException none) {
      return null;
    }
  }

  private @Nullable String number(byte[] json, int from, int to, int kind) {
    return switch (kind) {
      case ValueKinds.INTEGER, ValueKinds.DECIMAL ->
          new String(json, from, to - from, StandardCharsets.ISO_8859_1);
      case ValueKinds.STRING -> to - from > 100 ? null : unquote(json, from, to).trim();
      default -> null;
    };
  }

  private String unquote(byte[] json, int from, int to) {
    unescapedText.clear();
    unescapedText.writeUnquoted(json, from, to);
    return unescapedText.toString();
  }

  private boolean readDecimal(byte[] json, int from, int to, int kind, boolean single) {
    if (kind == ValueKinds.DECIMAL || kind == ValueKinds.INTEGER) {
      double plain = PlainValueParser.parseDecimal(json, from, to);
      if (!Double.isNaN(plain)) {
        return storeDecimal(plain, single);
      }
    }
    String shown = number(json, from, to, kind);
    if (shown == null || shown.isEmpty() || !Character.isLetterOrDigit(lastChar(shown))) {
      return false;
    }
    char end = lastChar(shown);
    if (end == 'd' || end == 'D' || end == 'f' || end == 'F') {
      return false; // Java accepts this text, JSON does not
    }
    try {
      return storeDecimal(Double.parseDouble(shown), single);
    } catch (NumberFormatException none) {
      return false;
    }
  }

  /** Returns false if the number is beyond the type's range, or no number: NaN or an infinity. */
  private boolean storeDecimal(double decimal, boolean single) {
    number =
        single ? Float.floatToRawIntBits((float) decimal) : Double.doubleToRawLongBits(decimal);
    return single ? Float.isFinite((float) decimal) : Double.isFinite(decimal);
  }

  private static char lastChar(String shown) {
    return shown.charAt(shown.length() - 1);
  }

  private boolean readBoolean(byte[] json, int from, int to, int kind) {
    if (kind == ValueKinds.BOOLEAN) {
      number = json[from] == 't' ? 1 : 0;
      return true;
    }
    if (kind != ValueKinds.STRING) {
      return false;
    }
    String said = unquote(json, from, to).toLowerCase(Locale.ROOT);
    number = said.equals("true") ? 1 : 0;
    return said.equals("true") || said.equals("false") || said.isEmpty();
  }

  private boolean readDate(byte[] json, int from, int to, int kind, boolean nanos) {
    if (kind == ValueKinds.STRING && dateReader.isFormatKnown()) {
      long plain = PlainValueParser.parseInstant(json, from + 1, to - 1, nanos);
      if (plain != PlainValueParser.UNPARSEABLE) {
        number = plain;
        return true;
      }
    }
    String shown = number(json, from, to, kind);
    Instant instant = shown == null ? null : dateReader.parse(shown);
    if (instant == null) {
      return false;
    }
    try {
      number =
          nanos
              ? Math.addExact(
                  Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND), instant.getNano())
              : instant.toEpochMilli();
      return true;
    } catch (ArithmeticException tooFar) {
      return false;
    }
  }

  private boolean readText(byte[] json, int from, int to, int kind) {
    if (kind != ValueKinds.STRING) {
      readJson(json, from, to);
      return kind != ValueKinds.OBJECT && !ValueKinds.hasAny(kind, ValueKinds.LIST);
    }
    if (JsonBuffer.findEscape(json, from + 1, to - 1) == to - 1) {
      readJson(json, from + 1, to - 1);
    } else {
      unescapedText.clear();
      unescapedText.writeUnquoted(json, from, to);
      readJson(unescapedText.bytes(), 0, unescapedText.length());
    }
    return true;
  }

  private boolean readJson(byte[] json, int from, int to) {
    text = json;
    textOffset = from;
    textLength = to - from;
    return true;
  }
}
