package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.JsonTextWriter.Layout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTextWriterTest {
  private static Map<String, Object> tree() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("text", "a \"quoted\" \\ line\n\u0001 \uD83D\uDE00");
    tree.put("numbers", List.of(1, 2.5, Double.NaN));
    tree.put("nothing", null);
    tree.put("empty", List.of(Map.of(), List.of()));
    tree.put("mixed", new ArrayList<>(Arrays.asList("a", null, 1L)));
    tree.put("flag", true);
    return tree;
  }

  @Test
  void writesIndentedTrees() {
    assertThat(JsonTextWriter.toIndentedJson(tree()))
        .isEqualTo(
            """
            {
              "text": "a \\"quoted\\" \\\\ line\\n\\u0001 \uD83D\uDE00",
              "numbers": [1, 2.5, null],
              "nothing": null,
              "empty": [
                {},
                []
              ],
              "mixed": [
                "a",
                null,
                1
              ],
              "flag": true
            }
            """);
  }

  @Test
  void writesCompactTreesWithoutSpaces() {
    assertThat(new JsonTextWriter(Layout.COMPACT).tree(tree()).finish())
        .isEqualTo(
            "{\"text\":\"a \\\"quoted\\\" \\\\ line\\n\\u0001 \uD83D\uDE00\","
                + "\"numbers\":[1,2.5,null],\"nothing\":null,\"empty\":[{},[]],"
                + "\"mixed\":[\"a\",null,1],\"flag\":true}");
  }

  @Test
  void indentsAsOpenSearchDoes() {
    JsonTextWriter json = new JsonTextWriter(Layout.PRETTY);
    json.open('{').name("error").open('{').name("root_cause").open('[').close(']');
    json.name("reason").value(null).close('}').name("status").value(400).close('}');
    assertThat(json.finish())
        .isEqualTo(
            """
            {
              "error" : {
                "root_cause" : [],
                "reason" : null
              },
              "status" : 400
            }
            """);
  }

  @Test
  void writesEmptyTreesInOneLine() {
    assertThat(JsonTextWriter.toIndentedJson(Map.of())).isEqualTo("{}\n");
  }
}
