package dev.weir.responses.columnar.table;

import java.util.List;
import java.util.Set;

/** The types of columns: those of OpenSearch's mappings, and a few for what is in none. */
public final class Types {
  /** Of a column whose values are of types that no type takes all of. */
  public static final String MIXED = "mixed";

  /** Of a column of which nothing is known. */
  public static final String UNKNOWN = "null";

  public static final String OBJECT = "object";
  public static final String LONG = "long";
  public static final String DOUBLE = "double";
  public static final String FLOAT = "float";
  public static final String BOOLEAN = "boolean";
  public static final String KEYWORD = "keyword";
  public static final String DATE = "date";

  private static final List<String> INTEGERS = List.of("byte", "short", "integer", LONG);
  private static final List<String> DECIMALS = List.of("half_float", FLOAT, DOUBLE);
  private static final Set<String> WORDS = Set.of(KEYWORD, "text", "constant_keyword", "wildcard");
  private static final Set<String> DATES = Set.of(DATE, "date_nanos");

  private Types() {}

  /** The type of a column that is of one type in some indices, and of another in others. */
  static String common(String one, String other) {
    if (one.equals(other)) {
      return one;
    }
    if (INTEGERS.contains(one) && INTEGERS.contains(other)) {
      return INTEGERS.get(Math.max(INTEGERS.indexOf(one), INTEGERS.indexOf(other)));
    }
    if (DECIMALS.contains(one) && DECIMALS.contains(other)) {
      return DECIMALS.get(Math.max(DECIMALS.indexOf(one), DECIMALS.indexOf(other)));
    }
    if (isNumber(one) && isNumber(other)) {
      return DOUBLE;
    }
    if (WORDS.contains(one) && WORDS.contains(other)) {
      return KEYWORD;
    }
    if (DATES.contains(one) && DATES.contains(other)) {
      return "date_nanos";
    }
    return MIXED;
  }

  static boolean isDate(String type) {
    return DATES.contains(type);
  }

  private static boolean isNumber(String type) {
    return INTEGERS.contains(type)
        || DECIMALS.contains(type)
        || type.equals("unsigned_long")
        || type.equals("scaled_float");
  }

  /** The type of a column that is in no mapping, by what its values were seen to be. */
  static String seen(int kinds) {
    int values = kinds & ~(Kinds.NULL | Kinds.LIST);
    if (values == 0) {
      return UNKNOWN;
    }
    if (values == Kinds.INTEGER) {
      return LONG;
    }
    if (Kinds.only(values, Kinds.INTEGER | Kinds.DECIMAL)) {
      return DOUBLE;
    }
    return switch (values) {
      case Kinds.BOOLEAN -> BOOLEAN;
      case Kinds.STRING -> KEYWORD;
      case Kinds.OBJECT -> OBJECT;
      default -> MIXED;
    };
  }
}
