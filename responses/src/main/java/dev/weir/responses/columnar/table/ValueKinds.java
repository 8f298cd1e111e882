package dev.weir.responses.columnar.table;

/** The kinds of seen values as bits; a list also adds the kinds of its elements. */
public final class ValueKinds {
  public static final int NULL = 1;
  public static final int BOOLEAN = 1 << 1;
  public static final int INTEGER = 1 << 2;

  /** A number with a fraction or an exponent, or with a notation that JSON does not define. */
  public static final int DECIMAL = 1 << 3;

  public static final int STRING = 1 << 4;
  public static final int OBJECT = 1 << 5;
  public static final int LIST = 1 << 6;

  /** A list within a list. */
  public static final int NESTED_LIST = 1 << 7;

  private ValueKinds() {}

  /** Returns true if the two sets of kinds intersect. */
  public static boolean hasAny(int kinds, int of) {
    return (kinds & of) != 0;
  }

  /** Returns true if all {@code kinds} are in {@code of}. */
  public static boolean hasOnly(int kinds, int of) {
    return (kinds & ~of) == 0;
  }
}
