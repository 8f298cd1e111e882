package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Kinds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON value, which is no list, as what a column's type asks for. A string is taken for
 * what it holds, as OpenSearch takes it. Used by one thread.
 */
final class Scalars {
  private static final BigInteger UNSIGNED_END = BigInteger.ONE.shiftLeft(64);
  private static final long NANOS_A_SECOND = 1_000_000_000;

  private final Instants instants;
  private final JsonBytes unescaped = new JsonBytes(64);
  private byte[] text = {};
  private int textFrom;
  private int textLength;
  private long number;

  Scalars(Instants instants) {
    this.instants = instants;
  }

  /**
   * What the last value was that was read as an integer, a date (by its unit) or a truth; the bits
   * of one that was read as a decimal.
   */
  long number() {
    return number;
  }

  /** The array with the last value that was read as text; valid as long as what was read is. */
  byte[] text() {
    return text;
  }

  /** Where in its array the text begins. */
  int textFrom() {
    return textFrom;
  }

  /** How many bytes the text has. */
  int textLength() {
    return textLength;
  }

  /** Reads a value; whether it is of that type. */
  boolean read(ArrowType type, byte[] json, int from, int to, int kind) {
    return switch (type) {
      case INT8 -> isWhole(json, from, to, kind, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case INT16 -> isWhole(json, from, to, kind, Short.MIN_VALUE, Short.MAX_VALUE);
      case INT32 -> isWhole(json, from, to, kind, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case INT64 -> isWhole(json, from, to, kind, Long.MIN_VALUE, Long.MAX_VALUE);
      case UINT64 -> isUnsigned(json, from, to, kind);
      case FLOAT32 -> isDecimal(json, from, to, kind, true);
      case FLOAT64 -> isDecimal(json, from, to, kind, false);
      case BOOL -> isTruth(json, from, to, kind);
      case MILLIS -> isInstant(json, from, to, kind, false);
      case NANOS -> isInstant(json, from, to, kind, true);
      case WORD, TEXT -> isText(json, from, to, kind);
      case JSON -> isJson(json, from, to);
      case NONE -> false;
    };
  }

  private boolean isWhole(byte[] json, int from, int to, int kind, long least, long most) {
    if (kind == Kinds.INTEGER && to - from < 19) {
      number = PlainText.whole(json, from, to);
    } else {
      BigDecimal exact = exact(json, from, to, kind);
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

  private boolean isUnsigned(byte[] json, int from, int to, int kind) {
    BigDecimal exact = exact(json, from, to, kind);
    if (exact == null || exact.signum() < 0 || !isInteger(exact)) {
      return false;
    }
    BigInteger whole = exact.toBigInteger();
    number = whole.longValue();
    return whole.compareTo(UNSIGNED_END) < 0;
  }

  /** Whether it has no fraction, and not so many digits that to find out takes long. */
  private static boolean isInteger(BigDecimal exact) {
    return exact.precision() - exact.scale() <= 20
        && exact.scale() <= 100
        && exact.stripTrailingZeros().scale() <= 0;
  }

  private @Nullable BigDecimal exact(byte[] json, int from, int to, int kind) {
    String shown = number(json, from, to, kind);
    try {
      return shown == null ? null : new BigDecimal(shown);
    } catch (NumberFormatException none) {
      return null;
    }
  }

  private @Nullable String number(byte[] json, int from, int to, int kind) {
    return switch (kind) {
      case Kinds.INTEGER, Kinds.DECIMAL ->
          new String(json, from, to - from, StandardCharsets.ISO_8859_1);
      case Kinds.STRING -> to - from > 100 ? null : unquoted(json, from, to).trim();
      default -> null;
    };
  }

  private String unquoted(byte[] json, int from, int to) {
    unescaped.clear();
    unescaped.unquote(json, from, to);
    return unescaped.toString();
  }

  private boolean isDecimal(byte[] json, int from, int to, int kind, boolean single) {
    if (kind == Kinds.DECIMAL || kind == Kinds.INTEGER) {
      double plain = PlainText.decimal(json, from, to);
      if (!Double.isNaN(plain)) {
        keep(plain, single);
        return true;
      }
    }
    String shown = number(json, from, to, kind);
    if (shown == null || shown.isEmpty() || !Character.isLetterOrDigit(last(shown))) {
      return false;
    }
    char end = last(shown);
    if (end == 'd' || end == 'D' || end == 'f' || end == 'F') {
      return false; // Java's, not JSON's
    }
    try {
      keep(Double.parseDouble(shown), single);
      return true;
    } catch (NumberFormatException none) {
      return false;
    }
  }

  private void keep(double decimal, boolean single) {
    number =
        single ? Float.floatToRawIntBits((float) decimal) : Double.doubleToRawLongBits(decimal);
  }

  private static char last(String shown) {
    return shown.charAt(shown.length() - 1);
  }

  private boolean isTruth(byte[] json, int from, int to, int kind) {
    if (kind == Kinds.BOOLEAN) {
      number = json[from] == 't' ? 1 : 0;
      return true;
    }
    if (kind != Kinds.STRING) {
      return false;
    }
    String said = unquoted(json, from, to).toLowerCase(Locale.ROOT);
    number = said.equals("true") ? 1 : 0;
    return said.equals("true") || said.equals("false") || said.isEmpty();
  }

  private boolean isInstant(byte[] json, int from, int to, int kind, boolean nanos) {
    if (kind == Kinds.STRING && instants.known()) {
      long plain = PlainText.instant(json, from + 1, to - 1, nanos);
      if (plain != PlainText.UNKNOWN) {
        number = plain;
        return true;
      }
    }
    String shown = number(json, from, to, kind);
    Instant instant = shown == null ? null : instants.of(shown);
    if (instant == null) {
      return false;
    }
    try {
      number =
          nanos
              ? Math.addExact(
                  Math.multiplyExact(instant.getEpochSecond(), NANOS_A_SECOND), instant.getNano())
              : instant.toEpochMilli();
      return true;
    } catch (ArithmeticException tooFar) {
      return false;
    }
  }

  private boolean isText(byte[] json, int from, int to, int kind) {
    if (kind != Kinds.STRING) {
      isJson(json, from, to);
      return kind != Kinds.OBJECT && !Kinds.any(kind, Kinds.LIST);
    }
    if (JsonBytes.escape(json, from + 1, to - 1) == to - 1) {
      isJson(json, from + 1, to - 1);
    } else {
      unescaped.clear();
      unescaped.unquote(json, from, to);
      isJson(unescaped.bytes(), 0, unescaped.length());
    }
    return true;
  }

  private boolean isJson(byte[] json, int from, int to) {
    text = json;
    textFrom = from;
    textLength = to - from;
    return true;
  }
}
