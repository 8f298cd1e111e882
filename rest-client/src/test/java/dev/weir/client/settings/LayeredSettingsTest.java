package dev.weir.client.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.client.JsonReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LayeredSettingsTest {
  @Test
  void readTheValueInForce() throws IOException {
    LayeredSettings settings =
        LayeredSettings.of(
            JsonReader.readObject(
                """
                {"persistent":{"a":"1","b":"2","logger.x":"DEBUG"},"transient":{"b":"3","l":["p","q"]},
                "defaults":{"c":"4","empty":""}}
                """));
    assertThat(settings.get("a", "?")).isEqualTo("1");
    assertThat(settings.get("b", "?")).isEqualTo("3");
    assertThat(settings.get("c", "?")).isEqualTo("4");
    assertThat(settings.get("empty", "?")).isEqualTo("?");
    assertThat(settings.get("l", "?")).isEqualTo("p,q");
    assertThat(settings.find("d")).isNull();
    assertThat(settings.isSet("b")).isTrue();
    assertThat(settings.isSet("c")).isFalse();
    assertThat(settings.setWithPrefix("logger.")).isEqualTo(Map.of("logger.x", "DEBUG"));
    assertThat(settings.removal(List.of("a", "b")))
        .isEqualTo("{\"persistent\": {\"a\": null, \"b\": null}, \"transient\": {\"b\": null}}");
  }

  @Test
  void readAnEmptyCluster() throws IOException {
    assertThat(LayeredSettings.of(JsonReader.readObject("{}"))).isEqualTo(LayeredSettings.NONE);
  }
}
