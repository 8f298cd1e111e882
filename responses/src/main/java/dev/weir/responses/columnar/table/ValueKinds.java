package dev.weir.responses.columnar.table;

/** What values were seen to be, as bits; those of a list's elements count as well. */
public final class ValueKinds {
  public static final int NULL = 1;
  public static final int BOOLEAN = 1 << 1;
  public static final int INTEGER = 1 << 2;

  /** A number that has a fraction or an exponent, or is none that JSON knows. */
  public static final int DECIMAL = 1 << 3;

  public static final int STRING = 1 << 4;
  public static final int OBJECT = 1 << 5;
  public static final int LIST = 1 << 6;

  /** A list within a list. */
  public static final int NESTED_LIST = 1 << 7;

  private ValueKinds() {}

  /** Whether one of some kinds is among others. */
  public static boolean hasAny(int kinds, int of) {
    return (kinds & of) != 0;
  }

  /** Whether all are among some. */
  public static boolean hasOnly(int kinds, int of) {
    return (kinds & ~of) == 0;
  }
}
