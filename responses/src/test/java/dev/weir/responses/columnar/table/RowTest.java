package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a row has for each column. */
class RowTest {
  private final Columns columns = new Columns();
  private Row row = new Row();
  private final JsonCursor cursor = new JsonCursor();

  private void add(String name, String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    cursor.over(bytes, 0, bytes.length);
    row.add(columns.of(name), bytes, 0, bytes.length, cursor.skip());
  }

  private String value(String name) {
    int at = columns.of(name).index();
    return row.has(at)
        ? new String(row.data(at), row.from(at), row.to(at) - row.from(at), StandardCharsets.UTF_8)
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
  void makesAListOfWhatComesMoreThanOnce() {
    add("a", "1");
    add("a", "[\"x\",2]");
    add("a", "[]");
    add("b", "[]");
    add("b", "true");

    assertThat(value("a")).isEqualTo("[1,\"x\",2]");
    assertThat(value("b")).isEqualTo("[true]");
    assertThat(columns.of("a").type()).isEqualTo(Types.MIXED);
    assertThat(columns.of("b").type()).isEqualTo(Types.BOOLEAN);
  }

  @Test
  void leavesEmptyListsOutWhateverIsInThem() {
    add("a", "[ ]");
    add("a", "1");
    add("a", "[/* none */]");
    add("a", "[ 2 ]");

    assertThat(value("a")).isEqualTo("[1, 2 ]");
  }

  @Test
  void isClearedMoreOftenThanAnIntegerCounts() {
    row = new Row(Integer.MAX_VALUE - 3L);
    for (int i = 0; i < 4; i++) {
      add("a", "1");
      row.secondPart();
      add("b", "2");
      assertThat(value("a")).isEqualTo("1");
      assertThat(value("b")).isEqualTo("2");
      assertThat(row.isOfFirstPart(columns.of("a"))).isTrue();
      assertThat(row.has(2)).isFalse();
      row.clear();
      assertThat(value("a")).isEqualTo("none");
      assertThat(value("b")).isEqualTo("none");
    }
  }

  @Test
  void knowsItsFirstPart() {
    add("a", "1");
    row.secondPart();
    add("b", "2");
    add("b", "3");

    assertThat(row.isOfFirstPart(columns.of("a"))).isTrue();
    assertThat(row.isOfFirstPart(columns.of("b"))).isFalse();
    assertThat(value("b")).isEqualTo("[2,3]");
    row.clear();
    add("b", "4");
    row.secondPart();
    assertThat(row.isOfFirstPart(columns.of("b"))).isTrue();
    assertThat(row.isOfFirstPart(columns.of("a"))).isFalse();
  }
}
