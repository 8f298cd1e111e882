package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.opensearch.common.geo.GeoPoint;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.XContentBuilder;

/** Values are written as OpenSearch writes them, and their kinds are known. */
final class JsonValueWriterTest {
  private final JsonBuffer json = new JsonBuffer(4);
  private final JsonValueWriter writer = new JsonValueWriter(json);

  static Stream<Arguments> values() {
    return Stream.of(
        Arguments.of("a\"b\n", ValueKinds.STRING),
        Arguments.of("", ValueKinds.STRING),
        Arguments.of(Long.MIN_VALUE, ValueKinds.INTEGER),
        Arguments.of(-1, ValueKinds.INTEGER),
        Arguments.of((short) 7, ValueKinds.INTEGER),
        Arguments.of((byte) -8, ValueKinds.INTEGER),
        Arguments.of(new BigInteger("18446744073709551615"), ValueKinds.INTEGER),
        Arguments.of(new BigDecimal("1.50"), ValueKinds.DECIMAL),
        Arguments.of(true, ValueKinds.BOOLEAN),
        Arguments.of(1.0, ValueKinds.DECIMAL),
        Arguments.of(-0.0, ValueKinds.DECIMAL),
        Arguments.of(1e300, ValueKinds.DECIMAL),
        Arguments.of(0.1f, ValueKinds.DECIMAL),
        Arguments.of(Float.NaN, ValueKinds.STRING),
        Arguments.of(Double.NEGATIVE_INFINITY, ValueKinds.STRING),
        Arguments.of(Map.of("k", List.of(1)), ValueKinds.OBJECT),
        Arguments.of(new GeoPoint(1.5, -2), ValueKinds.OBJECT),
        Arguments.of(new byte[] {1, 2, 3}, ValueKinds.STRING),
        Arguments.of(Instant.EPOCH.atZone(ZoneOffset.UTC), ValueKinds.STRING),
        Arguments.of(List.of(), ValueKinds.LIST),
        Arguments.of(List.of(1, 2L), ValueKinds.LIST | ValueKinds.INTEGER),
        Arguments.of(
            Arrays.asList(1, null, "x"),
            ValueKinds.LIST | ValueKinds.INTEGER | ValueKinds.NULL | ValueKinds.STRING),
        Arguments.of(
            List.of(List.of(1), true),
            ValueKinds.LIST | ValueKinds.NESTED_LIST | ValueKinds.BOOLEAN));
  }

  @ParameterizedTest
  @MethodSource("values")
  void writesAsOpenSearchDoes(Object value, int kinds) throws IOException {
    assertThat(writer.write(value)).isEqualTo(kinds);
    assertThat(json).hasToString(theirs(value));
  }

  private static String theirs(@Nullable Object value) throws IOException {
    try (XContentBuilder builder = XContentBuilder.builder(XContentType.JSON.xContent())) {
      String whole = builder.startObject().field("v", value).endObject().toString();
      return whole.substring("{\"v\":".length(), whole.length() - 1);
    }
  }

  @Test
  void writesNull() throws IOException {
    assertThat(writer.write(null)).isEqualTo(ValueKinds.NULL);
    assertThat(json).hasToString("null");
  }

  @Test
  void aFieldWithOneValueIsNoList() throws IOException {
    assertThat(writer.writeField(List.of("one"))).isEqualTo(ValueKinds.STRING);
    assertThat(writer.writeField(List.of("one", "two")))
        .isEqualTo(ValueKinds.LIST | ValueKinds.STRING);
    assertThat(json).hasToString("\"one\"[\"one\",\"two\"]");
  }
}
