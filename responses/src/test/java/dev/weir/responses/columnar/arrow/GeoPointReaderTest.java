package dev.weir.responses.columnar.arrow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.ValueKinds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeoPointReaderTest {
  private final GeoPointReader reader = new GeoPointReader();

  private boolean read(String value) {
    byte[] json = value.getBytes(UTF_8);
    JsonCursor cursor = new JsonCursor();
    cursor.reset(json, 0, json.length);
    return reader.read(json, 0, json.length, GeoPointReader.kindsOf(cursor.skip()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"lat\":41.12,\"lon\":-71.34}",
        "{ \"lon\" : \"-71.34\" , \"lat\" : \"41.12\" }",
        "\"41.12,-71.34\"",
        "\"41.12, -71.34\"",
        "[-71.34,41.12]",
        "[ -71.34 , 41.12 ]",
        "{\"type\":\"Point\",\"coordinates\":[-71.34,41.12]}",
        "{\"coordinates\":[-71.34, 41.12],\"type\":\"point\"}"
      })
  void readsEveryNotation(String value) {
    assertThat(read(value)).isTrue();
    assertThat(reader.latitude()).isEqualTo(41.12);
    assertThat(reader.longitude()).isEqualTo(-71.34);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"drm3btev3e86\"",
        "\"POINT (-71.34 41.12)\"",
        "\"1,2,3\"",
        "\"1,\"",
        "\"NaN,1\"",
        "\"1d,2f\"",
        "[1]",
        "[1,2,3]",
        "[]",
        "{}",
        "{\"lat\":1}",
        "{\"lat\":1,\"lat\":2}",
        "{\"lat\":1,\"lon\":2,\"z\":3}",
        "{\"lat\":null,\"lon\":2}",
        "{\"lat\":{},\"lon\":2}",
        "{\"type\":\"Polygon\",\"coordinates\":[1,2]}",
        "{\"type\":\"Point\",\"coordinates\":[[1,2]]}",
        "{\"type\":\"Point\",\"coordinates\":1}",
        "{\"lat\":1,\"coordinates\":[1,2]}",
        "300",
        "true"
      })
  void leavesEverythingElse(String value) {
    assertThat(read(value)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {ValueKinds.LIST, ValueKinds.LIST | ValueKinds.STRING, ValueKinds.STRING})
  void aListWithoutNumbersIsAList(int kinds) {
    assertThat(GeoPointReader.kindsOf(kinds)).isEqualTo(kinds);
  }
}
