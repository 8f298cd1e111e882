package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;

/** Builds a table of buckets row by row. Used by one thread. */
final class AggregationTableBuilder {
  /** The member with the metadata of the request, the same in each row. */
  private static final String META = "meta";

  private static final int MAX_NON_FINITE_LENGTH = "\"-Infinity\"".length();

  private final Columns columns;
  private final RowSink sink;
  private final Row row = new Row();
  private final JsonBuffer json = new JsonBuffer(256);
  private final JsonValueWriter values = new JsonValueWriter(json);
  private final JsonCursor cursor = new JsonCursor();

  /**
   * Starts a table.
   *
   * @param columns the builder adds columns as values need them
   */
  AggregationTableBuilder(Columns columns, RowSink sink) {
    this.columns = columns;
    this.sink = sink;
  }

  Columns columns() {
    return columns;
  }

  void beginRow() {
    row.clear();
    json.clear();
  }

  void endRow() throws IOException {
    sink.accept(row);
  }

  /** Adds a value to a column. A map adds one value to a column for each of its members. */
  void addValue(String name, @Nullable Object value) throws IOException {
    switch (value) {
      case Map<?, ?> members -> {
        for (Map.Entry<?, ?> member : members.entrySet()) {
          addValue(name + "." + member.getKey(), member.getValue());
        }
      }
      case ZonedDateTime date -> {
        Column column = columns.getOrCreate(name);
        column.declare(ColumnTypes.DATE, "epoch_millis");
        putValue(column, date.toInstant().toEpochMilli());
      }
      case null, default -> putValue(columns.getOrCreate(name), value);
    }
  }

  private void putValue(Column column, @Nullable Object value) throws IOException {
    if (value instanceof Double number
        && !Double.isFinite(number)
        && addNonFinite(column, number)) {
      return;
    }
    int since = json.length();
    int kinds = values.write(value);
    if (kinds != ValueKinds.NULL) {
      row.add(column, json, since, kinds);
    }
  }

  /**
   * Adds a metric: its value to the column with its name, its other members to columns of their
   * own, without its metadata.
   */
  void addMetric(String name, Aggregation metric) throws IOException {
    int since = json.length();
    values.writeFragment((InternalAggregation) metric);
    cursor.reset(json.bytes(), since, json.length());
    cursor.expect('{');
    cursor.readKey();
    if (cursor.peek() == '{') {
      addMembers(name, true);
    }
  }

  private void addMembers(String parent, boolean isMetric) {
    cursor.expect('{');
    while (cursor.peek() != '}') {
      cursor.readKey();
      JsonBuffer key = new JsonBuffer(cursor.tokenEnd() - cursor.tokenStart());
      key.writeUnquoted(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
      String member = key.toString();
      String name = member.equals("value") ? parent : parent + "." + member;
      if (isMetric && member.equals(META)) {
        cursor.skip();
      } else if (cursor.peek() == '{') {
        addMembers(name, false);
      } else {
        addToken(columns.getOrCreate(name), cursor.skip());
      }
      cursor.takeComma();
    }
    cursor.expect('}');
  }

  private void addToken(Column column, int kinds) {
    Double number = kinds == ValueKinds.STRING ? nonFiniteToken() : null;
    boolean isAdded = number != null && addNonFinite(column, number);
    if (!isAdded && kinds != ValueKinds.NULL) {
      row.add(column, cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd(), kinds);
    }
  }

  /** Adds NaN or an infinity unless the column has a value already; returns true if it does. */
  private boolean addNonFinite(Column column, double number) {
    if (row.hasValue(column.index())) {
      return false;
    }
    row.addNumber(column, NumberKind.NON_FINITE, Double.doubleToRawLongBits(number));
    return true;
  }

  /** Returns the NaN or infinity that the token stands for; null if it is another text. */
  private @Nullable Double nonFiniteToken() {
    int length = cursor.tokenEnd() - cursor.tokenStart();
    if (length > MAX_NON_FINITE_LENGTH) {
      return null;
    }
    String text =
        new String(cursor.bytes(), cursor.tokenStart(), length, StandardCharsets.ISO_8859_1);
    return switch (text) {
      case "\"NaN\"" -> Double.NaN;
      case "\"Infinity\"" -> Double.POSITIVE_INFINITY;
      case "\"-Infinity\"" -> Double.NEGATIVE_INFINITY;
      default -> null;
    };
  }
}
