package dev.weir.responses.columnar.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;

/**
 * A field of several indices gets a type that fits all of its values, in any order of the indices.
 */
class ColumnTypeDetectorTest {
  private static final String[] TYPES = {
    "byte",
    "integer",
    "long",
    "unsigned_long",
    "float",
    "double",
    "boolean",
    "date",
    "date_nanos",
    "keyword",
    "text",
    "geo_point"
  };

  /** A number of an aggregation, which JSON does not have. */
  private static final String NON_FINITE = "NaN";

  private static final String[] VALUES = {
    "1",
    "-7",
    "300",
    "1.5",
    "1e3",
    "1.0",
    "12345678901",
    "18446744073709551615",
    "true",
    "\"true\"",
    "\"\"",
    "\"n/a\"",
    "\"12\"",
    "\"9999-12-31\"",
    "\"2026-11-21T23:03:00Z\"",
    "1700000000",
    "[]",
    "[1,2]",
    "[null]",
    "[\"a\",3]",
    "[[1]]",
    "{\"a\":1}",
    "[true, 1.5]",
    NON_FINITE
  };

  /**
   * An index with the field's mapping and values.
   *
   * @param type null if the field is not mapped
   */
  private record Index(@Nullable String type, String format, List<String> values) {
    Index(@Nullable String type, String format, String... values) {
      this(type, format, List.of(values));
    }
  }

  /** Reads the field of one index after the other; each presents its mapping at its first value. */
  private static final class OneField implements RowSource {
    private final Columns columns;
    private final List<Index> indices;

    OneField(Columns columns, List<Index> indices) {
      this.columns = columns;
      this.indices = indices;
    }

    @Override
    public Columns columns() {
      return columns;
    }

    @Override
    public void forEachRow(RowSink sink) throws IOException {
      Row row = new Row();
      JsonCursor cursor = new JsonCursor();
      Column field = columns.getOrCreate("f");
      for (Index index : indices) {
        if (index.type != null) {
          field.declare(index.type, index.format);
        }
        for (String value : index.values) {
          byte[] json = value.getBytes(StandardCharsets.UTF_8);
          cursor.reset(json, 0, json.length);
          row.clear();
          if (value.equals(NON_FINITE)) {
            row.addNumber(field, NumberKind.NON_FINITE, Double.doubleToRawLongBits(Double.NaN));
          } else {
            row.add(field, json, 0, json.length, cursor.skip());
          }
          sink.accept(row);
        }
      }
    }
  }

  private static ArrowType written(Columns columns, List<Index> indices) throws IOException {
    OneField rows = new OneField(columns, indices);
    BitSet all = new BitSet();
    all.set(0, columns.getOrCreate("f").index() + 1);
    ArrowType type = ColumnTypeDetector.detect(rows, all).layoutOf(columns.getOrCreate("f")).type();
    assertThat(stream(indices, ColumnCollector::isFitting))
        .isEqualTo(stream(indices, gathered -> false));
    return type;
  }

  private static BytesReference stream(List<Index> indices, Predicate<ColumnCollector> fits)
      throws IOException {
    return CompositeBytesReference.of(
        ArrowStreamWriter.write(
                new OneField(new Columns(), indices),
                Map.of(),
                expected -> new BytesStreamOutput(expected),
                fits)
            .toArray(BytesReference[]::new));
  }

  private static ArrowType written(Index... indices) throws IOException {
    ArrowType type = written(new Columns(), Arrays.asList(indices));
    assertThat(written(new Columns(), Arrays.asList(indices).reversed())).isEqualTo(type);
    return type;
  }

  @Test
  void useTheTypeOfAnotherIndex() throws IOException {
    assertThat(
            written(
                new Index("date", "", "\"9999-12-31\""),
                new Index("date_nanos", "", "\"2026-11-21\"")))
        .isEqualTo(ArrowType.TEXT);
    assertThat(written(new Index(null, "", "\"n/a\""), new Index("long", "", "1")))
        .isEqualTo(ArrowType.JSON);
    assertThat(written(new Index(null, "", "true"), new Index("long", "", "1")))
        .isEqualTo(ArrowType.JSON);
    assertThat(written(new Index("byte", "", "1"), new Index("long", "", "12345678901")))
        .isEqualTo(ArrowType.INT64);
    assertThat(written(new Index("long", "", "1"), new Index("double", "", "1.5")))
        .isEqualTo(ArrowType.FLOAT64);
  }

  @Test
  void keepsNumbersThatNoFloatHas() throws IOException {
    assertThat(written(new Index("float", "", "1.5", "1e38"))).isEqualTo(ArrowType.FLOAT32);
    assertThat(written(new Index("float", "", "1.5", "1e39"))).isEqualTo(ArrowType.FLOAT64);
    assertThat(written(new Index("float", "", "1e39", "\"NaN\""))).isEqualTo(ArrowType.JSON);
    assertThat(written(new Index("double", "", "1.5", "1e400"))).isEqualTo(ArrowType.JSON);
    assertThat(written(new Index("double", "", "\"NaN\""))).isEqualTo(ArrowType.TEXT);
  }

  @Test
  void keepsDoublesThatJsonLacks() throws IOException {
    assertThat(written(new Index(null, "", "7.5", NON_FINITE))).isEqualTo(ArrowType.FLOAT64);
    assertThat(written(new Index(null, "", NON_FINITE, "7"))).isEqualTo(ArrowType.FLOAT64);
    assertThat(written(new Index(null, "", "7", NON_FINITE))).isEqualTo(ArrowType.FLOAT64);
    assertThat(written(new Index(null, "", "7.5", NON_FINITE, "[1,2]")))
        .isEqualTo(ArrowType.FLOAT64);
    assertThat(written(new Index(null, "", NON_FINITE))).isEqualTo(ArrowType.DICTIONARY_TEXT);
    assertThat(written(new Index(null, "", "7.5", NON_FINITE, "\"n/a\"")))
        .isEqualTo(ArrowType.JSON);
  }

  @Test
  void leavesDatesOfDifferentFormatsText() throws IOException {
    Index millis = new Index("date", "epoch_millis", "1700000000000");
    Index seconds = new Index("date", "epoch_second", "1700000000");
    Index standard = new Index("date", "", "\"2026-11-21T23:03:00Z\"", "1700000000000");
    Index said = new Index("date", "strict_date_optional_time||epoch_millis", "1700000000000");

    assertThat(written(millis, seconds)).isEqualTo(ArrowType.TEXT);
    assertThat(written(standard, seconds)).isEqualTo(ArrowType.TEXT);
    assertThat(written(standard, said)).isEqualTo(ArrowType.MILLIS);
    assertThat(written(seconds, seconds)).isEqualTo(ArrowType.MILLIS);
    assertThat(written(new Columns(name -> name.equals("f")), List.of(standard)))
        .isEqualTo(ArrowType.TEXT);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void hasNoTypeWithoutAValue(int before) throws IOException {
    Columns columns = new Columns();
    for (int i = 0; i < before; i++) {
      columns.getOrCreate("other" + i);
    }
    assertThat(written(columns, List.of(new Index(null, "")))).isEqualTo(ArrowType.NULL);
  }

  @Test
  void keepsEmptyListsThatAreOfNoType() throws IOException {
    assertThat(written(new Index(null, "", "[]", "[null]"))).isEqualTo(ArrowType.JSON);
  }

  @RepeatedTest(300)
  void takesAnyValuesOfAnyTypes() throws IOException {
    long seed = TestSeed.random(ColumnTypeDetectorTest.class).nextLong();
    Random random = new Random(seed);
    Index[] indices = new Index[1 + random.nextInt(3)];
    for (int i = 0; i < indices.length; i++) {
      List<String> values = new ArrayList<>();
      for (int count = 1 + random.nextInt(4); count > 0; count--) {
        values.add(VALUES[random.nextInt(VALUES.length)]);
      }
      indices[i] =
          new Index(
              random.nextInt(4) == 0 ? null : TYPES[random.nextInt(TYPES.length)],
              random.nextInt(4) == 0 ? "epoch_second" : "",
              values);
    }
    try {
      written(indices);
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + Arrays.toString(indices), e);
    }
  }
}
