package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The values of a row by column. */
class RowTest {
  private final Columns columns = new Columns();
  private Row row = new Row();
  private final JsonCursor cursor = new JsonCursor();

  private void add(String name, String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    cursor.reset(bytes, 0, bytes.length);
    row.add(columns.getOrCreate(name), bytes, 0, bytes.length, cursor.skip());
  }

  private String value(String name) {
    int at = columns.getOrCreate(name).index();
    return row.hasValue(at)
        ? new String(
            row.bytes(at), row.start(at), row.end(at) - row.start(at), StandardCharsets.UTF_8)
        : "none";
  }

  @Test
  void keepsValuesUntilItIsCleared() {
    for (int i = 0; i < 100; i++) {
      add("c" + i, Integer.toString(i));
    }
    assertThat(row.count()).isEqualTo(100);
    assertThat(value("c99")).isEqualTo("99");
    row.clear();
    assertThat(row.count()).isZero();
    assertThat(value("c99")).isEqualTo("none");
  }

  @Test
  void collectRepeatedValuesInAList() {
    add("a", "1");
    add("a", "[\"x\",2]");
    add("a", "[]");
    add("b", "[]");
    add("b", "true");

    assertThat(value("a")).isEqualTo("[1,\"x\",2]");
    assertThat(value("b")).isEqualTo("[true]");
    assertThat(columns.getOrCreate("a").type()).isEqualTo(ColumnTypes.MIXED);
    assertThat(columns.getOrCreate("b").type()).isEqualTo(ColumnTypes.BOOLEAN);
  }

  @Test
  void writesNumbersOnlyWhereTheirJsonIsRead() {
    Column number = columns.getOrCreate("n");
    row.addNumber(number, NumberKind.DATE, 1);
    assertThat(row.numberKind(number.index())).isEqualTo(NumberKind.DATE);
    assertThat(row.number(number.index())).isEqualTo(1);
    assertThat(value("n")).isEqualTo("\"1970-01-01T00:00:00.001Z\"");
    assertThat(row.numberKind(number.index())).isNull();
    row.addNumber(columns.getOrCreate("d"), NumberKind.DOUBLE, Double.doubleToRawLongBits(-0.5));
    row.addNumber(columns.getOrCreate("l"), NumberKind.LONG, -7);
    row.addNumber(columns.getOrCreate("b"), NumberKind.BOOLEAN, 1);
    long infinity = Double.doubleToRawLongBits(Double.NEGATIVE_INFINITY);
    row.addNumber(columns.getOrCreate("i"), NumberKind.NON_FINITE, infinity);
    add("l", "8");
    assertThat(value("d")).isEqualTo("-0.5");
    assertThat(value("l")).isEqualTo("[-7,8]");
    assertThat(value("b")).isEqualTo("true");
    assertThat(value("i")).isEqualTo("\"-Infinity\"");
    row.clear();
    add("n", "2");
    assertThat(row.numberKind(number.index())).isNull();
    assertThat(value("n")).isEqualTo("2");
  }

  @Test
  void leaveOutEmptyLists() {
    add("a", "[ ]");
    add("a", "1");
    add("a", "[/* none */]");
    add("a", "[ 2 ]");

    assertThat(value("a")).isEqualTo("[1, 2 ]");
  }

  @Test
  void surviveAnOverflowOfTheClearCounter() {
    row = new Row(Integer.MAX_VALUE - 3L);
    for (int i = 0; i < 4; i++) {
      add("a", "1");
      row.beginSecondPart();
      add("b", "2");
      assertThat(value("a")).isEqualTo("1");
      assertThat(value("b")).isEqualTo("2");
      assertThat(row.isFromFirstPart(columns.getOrCreate("a"))).isTrue();
      assertThat(row.hasValue(2)).isFalse();
      row.clear();
      assertThat(value("a")).isEqualTo("none");
      assertThat(value("b")).isEqualTo("none");
    }
  }

  @Test
  void knowsItsFirstPart() {
    add("a", "1");
    row.beginSecondPart();
    add("b", "2");
    add("b", "3");

    assertThat(row.isFromFirstPart(columns.getOrCreate("a"))).isTrue();
    assertThat(row.isFromFirstPart(columns.getOrCreate("b"))).isFalse();
    assertThat(value("b")).isEqualTo("[2,3]");
    row.clear();
    add("b", "4");
    row.beginSecondPart();
    assertThat(row.isFromFirstPart(columns.getOrCreate("b"))).isTrue();
    assertThat(row.isFromFirstPart(columns.getOrCreate("a"))).isFalse();
  }
}
