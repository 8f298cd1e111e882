package dev.weir.responses.columnar.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ColumnsTest {
  @ParameterizedTest
  @CsvSource({
    "long, long, long",
    "byte, integer, integer",
    "short, long, long",
    "half_float, double, double",
    "float, half_float, float",
    "integer, float, double",
    "unsigned_long, long, double",
    "scaled_float, byte, double",
    "keyword, text, keyword",
    "constant_keyword, wildcard, keyword",
    "date, date_nanos, date_nanos",
    "date, long, mixed",
    "keyword, long, mixed",
    "boolean, keyword, mixed",
    "ip, ip, ip",
    "ip, keyword, mixed",
    "mixed, long, mixed"
  })
  void indicesWithDifferentTypesHaveACommonOne(String one, String other, String common) {
    assertThat(ColumnTypes.commonType(one, other)).isEqualTo(common);
    assertThat(ColumnTypes.commonType(other, one)).isEqualTo(common);
  }

  @Test
  void unmappedColumnsHaveTheTypeOfTheirValues() {
    assertThat(ColumnTypes.fromKinds(0)).isEqualTo("null");
    assertThat(ColumnTypes.fromKinds(ValueKinds.NULL | ValueKinds.LIST)).isEqualTo("null");
    assertThat(ColumnTypes.fromKinds(ValueKinds.INTEGER | ValueKinds.NULL)).isEqualTo("long");
    assertThat(ColumnTypes.fromKinds(ValueKinds.INTEGER | ValueKinds.DECIMAL)).isEqualTo("double");
    assertThat(ColumnTypes.fromKinds(ValueKinds.DECIMAL | ValueKinds.LIST)).isEqualTo("double");
    assertThat(ColumnTypes.fromKinds(ValueKinds.STRING | ValueKinds.LIST)).isEqualTo("keyword");
    assertThat(ColumnTypes.fromKinds(ValueKinds.BOOLEAN)).isEqualTo("boolean");
    assertThat(ColumnTypes.fromKinds(ValueKinds.OBJECT)).isEqualTo("object");
    assertThat(ColumnTypes.fromKinds(ValueKinds.STRING | ValueKinds.INTEGER)).isEqualTo("mixed");
    assertThat(ColumnTypes.fromKinds(ValueKinds.LIST | ValueKinds.NESTED_LIST)).isEqualTo("mixed");
  }

  @Test
  void mappingsWinOverValuesAndValuesOverExpectations() {
    Column column = new Columns().getOrCreate("c");
    assertThat(column.type()).isEqualTo("null");
    column.setExpectedType("long");
    assertThat(column.type()).isEqualTo("long");
    column.recordKinds(ValueKinds.STRING);
    assertThat(column.type()).isEqualTo("keyword");
    column.declare("integer", "");
    assertThat(column.type()).isEqualTo("integer");
    column.declare("float", "");
    assertThat(column.type()).isEqualTo("double");
    assertThat(column.kinds()).isEqualTo(ValueKinds.STRING);
  }

  @Test
  void datesOfDifferentFormatsHaveNoFormat() {
    Column column = new Columns().getOrCreate("d");
    assertThat(column.dateFormat()).isNull();
    column.declare("date", "");
    assertThat(column.dateFormat()).isEqualTo(Column.STANDARD_FORMAT);
    column.declare("date_nanos", Column.STANDARD_FORMAT);
    assertThat(column.dateFormat()).isEqualTo(Column.STANDARD_FORMAT);
    column.declare("date", "yyyy");
    assertThat(column.dateFormat()).isNull();
    assertThat(column.type()).isEqualTo("date_nanos");
  }

  @Test
  void datesThatTheSearchFormatsHaveNoFormat() {
    Columns columns = new Columns("d"::equals);
    columns.getOrCreate("d").declare("date", "yyyy");
    columns.getOrCreate("e").declare("date", "yyyy");
    assertThat(columns.getOrCreate("d").dateFormat()).isNull();
    assertThat(columns.getOrCreate("e").dateFormat()).isEqualTo("yyyy");
  }

  @Test
  void closedColumnsTakeNoFurtherNames() {
    Columns columns = new Columns();
    Column nested = columns.getOrCreate("a.b.c");
    Column unnamed = columns.addUnnamed("rest");
    assertThat(columns.isOutside("z")).isFalse();
    columns.close();
    assertThat(columns.isClosed()).isTrue();
    assertThat(columns.findOrCreate("a.b.c")).isSameAs(nested);
    assertThat(columns.findOrCreate("new")).isNull();
    assertThat(columns.get("rest")).isNull();
    assertThat(columns.isOutside("a")).isFalse();
    assertThat(columns.isOutside("a.b")).isFalse();
    assertThat(columns.isOutside("a.b.c")).isFalse();
    assertThat(columns.isOutside("a.b.d")).isTrue();
    assertThat(columns.isOutside("rest")).isTrue();
    assertThat(columns.all()).containsExactly(nested, unnamed);
  }

  @Test
  void thereIsABoundOfColumns() {
    Columns columns = new Columns();
    for (int i = 0; i < Columns.MAX_COLUMNS; i++) {
      columns.getOrCreate("c" + i);
    }
    assertThat(columns.getOrCreate("c0").index()).isZero();
    assertThatThrownBy(() -> columns.getOrCreate("one more"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got more than 10000 columns");
    assertThat(columns.size()).isEqualTo(Columns.MAX_COLUMNS);
  }
}
