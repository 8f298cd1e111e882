package dev.weir.responses.columnar.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;

/** A stream of rows that are read once equals one whose types are detected in a first pass. */
class ArrowStreamWriterTest {
  private static final Map<String, String[]> FITTING =
      Map.ofEntries(
          Map.entry("long", new String[] {"1", "-7", "123456789012", "\"12\"", "[1,2]", "[]"}),
          Map.entry("byte", new String[] {"1", "-7", "100", "[null,3]"}),
          Map.entry("double", new String[] {"1.5", "2", "\"3.25\"", "1e3"}),
          Map.entry("boolean", new String[] {"true", "false", "\"true\""}),
          Map.entry("date", new String[] {"\"2026-11-21T23:03:00Z\"", "1700000000000"}),
          Map.entry("keyword", new String[] {"\"a\"", "\"b\\n\"", "\"a\"", "7", "true"}),
          Map.entry("text", new String[] {"\"some text\"", "\"\"", "[\"x\",\"y\"]"}),
          Map.entry("geo_point", new String[] {"\"1,2\"", "\"3,4\"", "{\"lat\":1,\"lon\":2}"}),
          Map.entry("object", new String[] {"{\"a\":[1]}", "[{\"b\":2},{}]", "[[1]]"}));

  private static final String[] ODD = {
    "\"n/a\"", "[1,[2]]", "{\"x\":1}", "1.5", "[]", "300", "[7]"
  };

  /** Rows of columns, which are declared at the first value of an index. */
  private record Table(Columns columns, List<Field> fields, List<@Nullable String[]> values)
      implements RowSource {
    private record Field(String name, @Nullable String type, boolean named) {}

    static Table of(List<Field> fields, List<@Nullable String[]> values) {
      Columns columns = new Columns();
      Column id = columns.getOrCreate("_id");
      id.declare("keyword", "");
      for (Field field : fields) {
        if (field.named()) {
          declared(columns, field);
        }
      }
      return new Table(columns, fields, values);
    }

    private static Column declared(Columns columns, Field field) {
      boolean isNew = columns.get(field.name()) == null;
      Column column = columns.getOrCreate(field.name());
      if (isNew && field.type() != null) {
        column.declare(field.type(), "");
      }
      return column;
    }

    @Override
    public void forEachRow(RowSink sink) throws IOException {
      Row row = new Row();
      for (int i = 0; i < values.size(); i++) {
        row.clear();
        add(row, columns.getOrCreate("_id"), "\"id" + i + "\"");
        @Nullable String[] cells = values.get(i);
        for (int f = 0; f < cells.length; f++) {
          String cell = cells[f];
          if (cell != null) {
            add(row, declared(columns, fields.get(f)), cell);
          }
        }
        sink.accept(row);
      }
    }

    private static void add(Row row, Column column, String cell) {
      byte[] json = cell.getBytes(StandardCharsets.UTF_8);
      JsonCursor cursor = new JsonCursor();
      cursor.reset(json, 0, json.length);
      row.add(column, json, 0, json.length, cursor.skip());
    }
  }

  /** Counts how often rows are read. */
  private static final class Counted implements RowSource {
    private final Table table;
    private int times;

    Counted(Table table) {
      this.table = table;
    }

    @Override
    public Columns columns() {
      return table.columns();
    }

    @Override
    public void forEachRow(RowSink sink) throws IOException {
      times++;
      table.forEachRow(sink);
    }
  }

  private static BytesReference stream(RowSource rows, Predicate<ColumnCollector> fits)
      throws IOException {
    return CompositeBytesReference.of(
        ArrowStreamWriter.write(rows, Map.of("k", "v"), room -> new BytesStreamOutput(room), fits)
            .toArray(BytesReference[]::new));
  }

  @RepeatedTest(300)
  void produceTheSameBytesOnASecondRead() throws IOException {
    long seed = TestSeed.random(ArrowStreamWriterTest.class).nextLong();
    Random random = new Random(seed);
    List<String> types = new ArrayList<>(FITTING.keySet());
    types.sort(null);
    List<Table.Field> fields = new ArrayList<>();
    List<String[]> cells = new ArrayList<>();
    for (int f = random.nextInt(8); f >= 0; f--) {
      String type = types.get(random.nextInt(types.size()));
      boolean mapped = random.nextInt(4) > 0;
      fields.add(new Table.Field("f" + f, mapped ? type : null, random.nextInt(4) == 0));
      cells.add(FITTING.getOrDefault(type, ODD));
    }
    int odd = random.nextBoolean() ? 0 : 1 + random.nextInt(30);
    int missing = 1 + random.nextInt(5);
    List<@Nullable String[]> values = new ArrayList<>();
    for (int i = random.nextInt(40); i > 0; i--) {
      @Nullable String[] row = new String[fields.size()];
      for (int f = 0; f < row.length; f++) {
        String[] from = odd > 0 && random.nextInt(odd) == 0 ? ODD : cells.get(f);
        row[f] = random.nextInt(missing) == 1 ? null : from[random.nextInt(from.length)];
      }
      values.add(row);
    }

    BytesReference once = stream(Table.of(fields, values), ColumnCollector::isFitting);
    BytesReference twice = stream(Table.of(fields, values), gathered -> false);

    assertThat(once).as("seed %s", seed).isEqualTo(twice);
  }

  private static int timesRead(@Nullable String type, String... values) throws IOException {
    List<@Nullable String[]> rows = new ArrayList<>();
    for (String value : values) {
      rows.add(new String[] {value});
    }
    Counted counted = new Counted(Table.of(List.of(new Table.Field("f", type, false)), rows));
    stream(counted, ColumnCollector::isFitting);
    return counted.times;
  }

  @Test
  void readsRowsAsOftenAsItMust() throws IOException {
    assertThat(timesRead("long", "1", "2", "\"3\"")).isEqualTo(1);
    assertThat(timesRead("keyword", "[\"a\"]", "\"b\"")).isEqualTo(1);
    assertThat(timesRead(null, "1", "2")).isEqualTo(1);
    assertThat(timesRead("geo_point", "{\"lat\":1,\"lon\":2}")).isEqualTo(1);
    assertThat(timesRead("keyword", "\"b\"", "[\"a\"]")).isEqualTo(2);
    assertThat(timesRead("long", "1", "\"n/a\"")).isEqualTo(3);
    assertThat(timesRead(null, "1", "2.5")).isEqualTo(3);
  }
}
