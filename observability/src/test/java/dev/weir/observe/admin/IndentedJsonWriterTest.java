package dev.weir.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class IndentedJsonWriterTest {
  @Test
  void writesIndentedJson() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("text", "a \"quoted\" \\ line\n\u0001 \uD83D\uDE00");
    tree.put("numbers", List.of(1, 2.5, Double.NaN));
    tree.put("nothing", null);
    tree.put("empty", List.of(Map.of(), List.of()));
    tree.put("flag", true);
    assertThat(IndentedJsonWriter.write(tree))
        .isEqualTo(
            """
            {
              "text": "a \\"quoted\\" \\\\ line\\n\\u0001 \\ud83d\\ude00",
              "numbers": [1, 2.5, null],
              "nothing": null,
              "empty": [
                {},
                []
              ],
              "flag": true
            }
            """);
  }
}
