package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;

/** An object is checked as a whole before any part of it is written. */
class StructVectorTest {
  private static final String OBJECT =
      "{\"a\":{\"b\":[{\"c\":[1,2],\"e\":{\"f\":1.5}},{\"c\":null}],\"d\":\"x\"}}";

  private static int kindOf(byte[] json) {
    JsonCursor cursor = new JsonCursor();
    cursor.reset(json, 0, json.length);
    return cursor.skip();
  }

  /** Creates a vector of objects with the same members. */
  private static ColumnVector vectorFor(String object) {
    Column column = new Columns().getOrCreate("o");
    column.declare("object", "");
    ObjectShape shape = new ObjectShape(column, new MemberBudget());
    byte[] json = object.getBytes(UTF_8);
    shape.see(json, 0, json.length, kindOf(json));
    return VectorFactory.create(
        shape.layout(false), column, BytesStreamOutput::new, new WordDictionary());
  }

  private static boolean offer(ColumnVector vector, String object) {
    byte[] json = object.getBytes(UTF_8);
    return vector.addIfFits(json, 0, json.length, kindOf(json));
  }

  private static BytesReference bytes(ColumnVector vector) {
    RecordBatchBody body = new RecordBatchBody();
    vector.appendTo(body);
    return CompositeBytesReference.of(body.pieces().toArray(BytesReference[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "7",
        "[{}]",
        "{\"z\":1}",
        "{\"a\":{\"d\":\"x\",\"d\":\"y\"}}",
        "{\"a\":{\"b\":[{\"c\":[1,\"y\"]}],\"d\":\"x\"}}",
        "{\"a\":{\"d\":\"x\",\"b\":[{\"c\":[1,2]},{\"e\":{\"f\":1,\"g\":2}}]}}"
      })
  void writesNothingOfAnObjectThatDoesNotFit(String misfit) {
    ColumnVector vector = vectorFor(OBJECT);
    assertThat(offer(vector, OBJECT)).isTrue();
    assertThat(offer(vector, misfit)).isFalse();
    assertThat(offer(vector, OBJECT)).isTrue();

    ColumnVector expected = vectorFor(OBJECT);
    assertThat(offer(expected, OBJECT)).isTrue();
    assertThat(offer(expected, OBJECT)).isTrue();
    assertThat(vector.length()).isEqualTo(2);
    assertThat(bytes(vector)).isEqualTo(bytes(expected));
  }

  @Test
  void writesDeepObjectsMemberByMember() {
    String deep = "{\"a\":".repeat(ValueLayout.MAX_DEPTH) + "1" + "}".repeat(ValueLayout.MAX_DEPTH);
    ColumnVector vector = vectorFor(deep);
    for (int i = 0; i < 3; i++) {
      assertThat(offer(vector, deep)).isTrue();
    }
    RecordBatchBody body = new RecordBatchBody();
    vector.appendTo(body);

    assertThat(body.nodes()).hasSize(ValueLayout.MAX_DEPTH + 1);
    assertThat(body.nodes())
        .allSatisfy(node -> assertThat(node).isEqualTo(new RecordBatchBody.VectorNode(3, 0)));
  }
}
