package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The layout of objects follows from mappings where their values fit, and from values elsewhere.
 */
class ObjectShapeTest {
  private static Column objects(Consumer<Column> declaration) {
    Column column = new Columns().getOrCreate("o");
    column.declare("nested", "");
    column.declareMembers(declaration);
    return column;
  }

  private static ValueLayout layout(Column column, String... values) {
    ObjectShape shape = new ObjectShape(column, new MemberBudget());
    for (String value : values) {
      byte[] json = value.getBytes(UTF_8);
      JsonCursor cursor = new JsonCursor();
      cursor.reset(json, 0, json.length);
      shape.see(json, 0, json.length, cursor.skip());
    }
    return shape.layout(false);
  }

  /** Writes a layout as {@code {a:INT64,b:[TEXT]}}. */
  private static String show(ValueLayout layout) {
    String type =
        layout.type() == ArrowType.STRUCT
            ? layout.members().stream()
                .map(member -> member.key() + ":" + show(member.layout()))
                .collect(Collectors.joining(",", "{", "}"))
            : layout.type().toString();
    return layout.isList() ? "[" + type + "]" : type;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":1} | {\"a\":2,\"b\":\"x\"} | {a:INT64,b:TEXT}",
        "{\"a\":1} | {\"a\":2.5} | {a:FLOAT64}",
        "{\"a\":1} | {\"a\":[2,null]} | {a:[INT64]}",
        "{\"a\":true} | {\"a\":null} | {a:BOOL}",
        "{\"a\":null} | {\"b\":[]} | {a:NULL,b:[TEXT]}",
        "{\"a\":1} | {\"a\":\"x\"} | {a:JSON}",
        "{\"a\":1} | {\"a\":18446744073709551615} | {a:FLOAT64}",
        "{\"a\":[[1]]} | {\"a\":[1]} | {a:JSON}",
        "{\"a\":{\"b\":1}} | {\"a\":[{\"c\":\"x\"}]} | {a:[{b:INT64,c:TEXT}]}",
        "{\"a\":{\"b\":1}} | {\"a\":7} | {a:JSON}",
        "{\"a\":{}} | {\"a\":null} | {a:JSON}",
        "[{\"a\":1},null,{\"\\u0061\":2}] | {\"a.b\":1} | {a:INT64,a.b:INT64}",
        "{} | [] | JSON",
        "{\"a\":1,\"a\":2} | {\"a\":1} | JSON",
      })
  void followFromValues(String one, String other, String expected) {
    assertThat(show(layout(objects(column -> {}), one, other))).isEqualTo(expected);
    Column late = objects(column -> {});
    ObjectShape shape = new ObjectShape(late, new MemberBudget());
    assertThat(shape.layout(true)).isEqualTo(ValueLayout.JSON);
  }

  private static void declareMembers(Column column) {
    column.member("n").declare("integer", "");
    column.member("k").declare("keyword", "");
    column.member("d").declare("date", "");
    column.member("p").declare("geo_point", "");
    column.member("r").declare("integer_range", "");
    Column inner = column.member("i");
    inner.declare("object", "");
    inner.member("x").declare("double", "");
  }

  @Test
  void followFromMappingsWithoutValues() {
    assertThat(show(layout(objects(ObjectShapeTest::declareMembers))))
        .isEqualTo("{n:INT32,k:TEXT,d:MILLIS,p:POINT,r:JSON,i:{x:FLOAT64}}");
  }

  @Test
  void followFromMappingsWhereValuesFit() {
    assertThat(
            show(
                layout(
                    objects(ObjectShapeTest::declareMembers),
                    "{\"n\":\"7\",\"k\":8,\"d\":\"2026-11-26\",\"p\":[1,2],\"r\":{\"gte\":1}}",
                    "{\"i\":{\"x\":1,\"y\":\"new\"},\"p\":\"3,4\",\"z\":1}")))
        .isEqualTo("{n:INT32,k:TEXT,d:MILLIS,p:POINT,r:JSON,i:{x:FLOAT64,y:TEXT},z:INT64}");
    assertThat(
            show(
                layout(
                    objects(ObjectShapeTest::declareMembers),
                    "{\"n\":12345678901,\"k\":{\"o\":1},\"d\":\"n/a\",\"p\":\"u09\"}",
                    "{\"n\":1.5,\"p\":[[1,2]],\"i\":[{}]}")))
        .isEqualTo("{n:FLOAT64,k:{o:INT64},d:TEXT,p:JSON,r:JSON,i:[{x:FLOAT64}]}");
  }

  @Test
  void areJsonBelowTheGreatestDepth() {
    String deep = "{\"a\":".repeat(20) + "1" + "}".repeat(20);
    String shown = show(layout(objects(column -> {}), deep));
    assertThat(shown)
        .isEqualTo(
            "{a:".repeat(ValueLayout.MAX_DEPTH) + "JSON" + "}".repeat(ValueLayout.MAX_DEPTH));
  }

  @Test
  void areJsonWithTooManyMembers() {
    String many =
        IntStream.range(0, MemberBudget.MAX_MEMBERS + 1)
            .mapToObj(i -> "\"m" + i + "\":1")
            .collect(Collectors.joining(",", "{", "}"));
    assertThat(layout(objects(column -> {}), many)).isEqualTo(ValueLayout.JSON);
  }
}
