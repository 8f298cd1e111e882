package dev.weir.responses.columnar.table;

import java.util.List;
import java.util.Set;

/** The types of columns: OpenSearch's mapping types, and a few for unmapped values. */
public final class ColumnTypes {
  /** The type of a column with values that no single type covers. */
  public static final String MIXED = "mixed";

  /** The type of a column without any known value. */
  public static final String UNKNOWN = "null";

  public static final String OBJECT = "object";
  public static final String NESTED = "nested";
  public static final String LONG = "long";
  public static final String DOUBLE = "double";
  public static final String FLOAT = "float";
  public static final String BOOLEAN = "boolean";
  public static final String KEYWORD = "keyword";
  public static final String DATE = "date";

  private static final List<String> INTEGER_TYPES = List.of("byte", "short", "integer", LONG);
  private static final List<String> DECIMAL_TYPES = List.of("half_float", FLOAT, DOUBLE);
  private static final Set<String> TEXT_TYPES =
      Set.of(KEYWORD, "text", "constant_keyword", "wildcard");
  private static final Set<String> DATE_TYPES = Set.of(DATE, "date_nanos");

  private ColumnTypes() {}

  /** Returns the type of a column with different types in different indices. */
  static String commonType(String one, String other) {
    if (one.equals(other)) {
      return one;
    }
    if (INTEGER_TYPES.contains(one) && INTEGER_TYPES.contains(other)) {
      return INTEGER_TYPES.get(Math.max(INTEGER_TYPES.indexOf(one), INTEGER_TYPES.indexOf(other)));
    }
    if (DECIMAL_TYPES.contains(one) && DECIMAL_TYPES.contains(other)) {
      return DECIMAL_TYPES.get(Math.max(DECIMAL_TYPES.indexOf(one), DECIMAL_TYPES.indexOf(other)));
    }
    if (isNumber(one) && isNumber(other)) {
      return DOUBLE;
    }
    if (TEXT_TYPES.contains(one) && TEXT_TYPES.contains(other)) {
      return KEYWORD;
    }
    if (DATE_TYPES.contains(one) && DATE_TYPES.contains(other)) {
      return "date_nanos";
    }
    return MIXED;
  }

  static boolean isDate(String type) {
    return DATE_TYPES.contains(type);
  }

  private static boolean isNumber(String type) {
    return INTEGER_TYPES.contains(type)
        || DECIMAL_TYPES.contains(type)
        || type.equals("unsigned_long")
        || type.equals("scaled_float");
  }

  /** Returns the type of an unmapped column from the kinds of its values. */
  static String fromKinds(int kinds) {
    int values = kinds & ~(ValueKinds.NULL | ValueKinds.LIST);
    if (values == 0) {
      return UNKNOWN;
    }
    if (values == ValueKinds.INTEGER) {
      return LONG;
    }
    if (ValueKinds.hasOnly(values, ValueKinds.INTEGER | ValueKinds.DECIMAL)) {
      return DOUBLE;
    }
    return switch (values) {
      case ValueKinds.BOOLEAN -> BOOLEAN;
      case ValueKinds.STRING -> KEYWORD;
      case ValueKinds.OBJECT -> OBJECT;
      default -> MIXED;
    };
  }
}
