package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;

/** The Arrow type of a column's values. */
enum ArrowType {
  INT8(1),
  INT16(2),
  INT32(4),
  INT64(8),
  UINT64(8),
  FLOAT32(4),
  FLOAT64(8),
  BOOL(0),
  /** Milliseconds since 1970 in UTC. */
  MILLIS(8),
  /** Nanoseconds since 1970 in UTC. */
  NANOS(8),
  /** Text with few distinct values: indices into a dictionary. */
  DICTIONARY_TEXT(4),
  TEXT(0),
  /** Latitude and longitude as doubles. */
  POINT(0),
  /** The members of objects. */
  STRUCT(0),
  /** A JSON value as text; lists too. */
  JSON(0),
  /** No value. */
  NULL(0);

  private final int byteWidth;

  ArrowType(int width) {
    this.byteWidth = width;
  }

  /** Returns the bytes of a value; 0 for types without a fixed width. */
  int byteWidth() {
    return byteWidth;
  }

  boolean isInteger() {
    return switch (this) {
      case INT8, INT16, INT32, INT64, UINT64 -> true;
      case FLOAT32,
          FLOAT64,
          BOOL,
          MILLIS,
          NANOS,
          DICTIONARY_TEXT,
          TEXT,
          POINT,
          STRUCT,
          JSON,
          NULL ->
          false;
    };
  }

  /** Returns the type that a column suggests, provided that all of its values fit. */
  static ArrowType fromColumn(Column column) {
    if (column.name().equals("_id")) {
      return TEXT; // all ids differ: a dictionary would not pay
    }
    return switch (column.type()) {
      case "byte" -> INT8;
      case "short" -> INT16;
      case "integer", "token_count" -> INT32;
      case ColumnTypes.LONG -> INT64;
      case "unsigned_long" -> UINT64;
      case "half_float", ColumnTypes.FLOAT, "rank_feature", "knn_vector" -> FLOAT32;
      case ColumnTypes.DOUBLE, "scaled_float" -> FLOAT64;
      case ColumnTypes.BOOLEAN -> BOOL;
      case ColumnTypes.DATE -> column.dateFormat() == null ? TEXT : MILLIS;
      case "date_nanos" -> column.dateFormat() == null ? TEXT : NANOS;
      case ColumnTypes.KEYWORD, "constant_keyword", "ip", "version" -> DICTIONARY_TEXT;
      case "text", "match_only_text", "wildcard", "search_as_you_type", "binary" -> TEXT;
      case "geo_point" -> POINT;
      case ColumnTypes.NESTED, ColumnTypes.OBJECT -> STRUCT;
      case ColumnTypes.UNKNOWN -> NULL;
      default -> JSON;
    };
  }
}
