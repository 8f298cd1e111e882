package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Types;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;

/** A table of buckets while its rows are made, one after the other. Used by one thread. */
final class AggregationTable {
  private final Columns columns;
  private final RowSink sink;
  private final Row row = new Row();
  private final JsonBytes json = new JsonBytes(256);
  private final JsonValues values = new JsonValues(json);
  private final JsonCursor cursor = new JsonCursor();

  /**
   * Begins a table.
   *
   * @param columns which become more
   */
  AggregationTable(Columns columns, RowSink sink) {
    this.columns = columns;
    this.sink = sink;
  }

  Columns columns() {
    return columns;
  }

  void begin() {
    row.clear();
    json.clear();
  }

  void end() throws IOException {
    sink.row(row);
  }

  /** Gives a column a value; a map gives one to a column of each of its members. */
  void add(String name, @Nullable Object value) throws IOException {
    switch (value) {
      case Map<?, ?> members -> {
        for (Map.Entry<?, ?> member : members.entrySet()) {
          add(name + "." + member.getKey(), member.getValue());
        }
      }
      case ZonedDateTime date -> {
        Column column = columns.of(name);
        column.declare(Types.DATE, "epoch_millis");
        put(column, date.toInstant().toEpochMilli());
      }
      case null, default -> put(columns.of(name), value);
    }
  }

  private void put(Column column, @Nullable Object value) throws IOException {
    int since = json.length();
    int kinds = values.put(value);
    if (kinds != Kinds.NULL) {
      row.add(column, json, since, kinds);
    }
  }

  /**
   * Gives columns what a metric tells: the column of its name its value, others what else there is.
   */
  void addMetric(String name, Aggregation metric) throws IOException {
    int since = json.length();
    values.putFragment((InternalAggregation) metric);
    cursor.over(json.bytes(), since, json.length());
    cursor.take('{');
    cursor.key();
    if (cursor.peek() == '{') {
      members(name);
    }
  }

  private void members(String parent) {
    cursor.take('{');
    while (cursor.peek() != '}') {
      cursor.key();
      JsonBytes key = new JsonBytes(cursor.to() - cursor.from());
      key.unquote(cursor.bytes(), cursor.from(), cursor.to());
      String member = key.toString();
      String name = member.equals("value") ? parent : parent + "." + member;
      if (cursor.peek() == '{') {
        members(name);
      } else {
        int kinds = cursor.skip();
        Column column = columns.of(name);
        if (kinds != Kinds.NULL) {
          row.add(column, cursor.bytes(), cursor.from(), cursor.to(), kinds);
        }
      }
      cursor.takeComma();
    }
    cursor.take('}');
  }
}
