package dev.weir.routing.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class NodeIdFinderTest {
  /** From the documentation of asynchronous search. */
  private static final String ASYNC =
      "FjdITFhYbC1zVFdHVVV1MUd3UkxkMFEFMjQ1MzYUWHRrZjhuWUJXdFhxMmlCSW5HTE8BMQ==";

  private static final String NODE = "7HLXXl-sTWGUUu1GwRLd0Q";
  private static final Map<String, String> OWNERS =
      Map.of(NODE, "green", "abcdefghijklmnopqrstu_", "blue");

  private static @Nullable String owner(String text) {
    return NodeIdFinder.<String>findOwner(text, OWNERS::get);
  }

  @Test
  void findsTheNodeOfAnAsynchronousSearch() {
    assertThat(owner("/_plugins/_asynchronous_search/" + ASYNC)).isEqualTo("green");
    assertThat(owner("/_plugins/_asynchronous_search/" + ASYNC.replace("=", "%3D") + "?pretty"))
        .isEqualTo("green");
    assertThat(owner(ASYNC.replace("=", ""))).isEqualTo("green");
    assertThat(owner("{\"id\":\"" + ASYNC + "\"}")).isEqualTo("green");
    assertThat(owner("{\"id\":\"" + ASYNC.replace("=", "\\u003d") + "\"}")).isEqualTo("green");
  }

  @Test
  void findsTheNodeOfATask() {
    assertThat(owner("/_tasks/" + NODE + ":123/_cancel")).isEqualTo("green");
    assertThat(owner("/_tasks/" + NODE + "%3A123")).isEqualTo("green");
    assertThat(owner("/_tasks/" + NODE + "%3a123")).isEqualTo("green");
    assertThat(owner("/_tasks?parent_task_id=abcdefghijklmnopqrstu_:7")).isEqualTo("blue");
    assertThat(owner(NODE + ":1")).isEqualTo("green");
  }

  @Test
  void takesNoOtherWordForOne() {
    assertThat(owner("/index/_doc/" + NODE)).isNull();
    assertThat(owner("/index/_doc/" + NODE + ":x")).isNull();
    assertThat(owner("/_tasks/x" + NODE + ":1")).isNull();
    assertThat(owner("/_tasks/unknownunknownunknown_:1")).isNull();
    assertThat(owner("")).isNull();
    assertThat(owner(NODE)).isNull();
    assertThat(owner(NODE + ":")).isNull();
    assertThat(owner(NODE + "%3A")).isNull();
    assertThat(owner("FjdITFhYbC1zVFdHVVV1MUd3UkxkMFE"))
        .as("a node's id and nothing else")
        .isNull();
  }

  @Test
  void useTheFirstKnownId() {
    String unknown = encoded("\u0016unknownunknownunknown_\u0016abcdefghijklmnopqrstu_");
    assertThat(owner(unknown)).isEqualTo("blue");
    assertThat(owner("[\"" + unknown + "\",\"" + ASYNC + "\"]")).isEqualTo("blue");
    assertThat(owner("[\"" + ASYNC + "\",\"" + unknown + "\"]")).isEqualTo("green");
    assertThat(owner(encoded("\u0017xabcdefghijklmnopqrstu_"))).isNull();
  }

  @Test
  void findTheClusterOfEachId() {
    String blue = encoded("\u0016abcdefghijklmnopqrstu_ and more");
    String unknown = encoded("\u0016unknownunknownunknown_");
    String text = "[\"" + ASYNC + "\", \"" + unknown + "\", \"" + blue + "\", \"" + ASYNC + "\"]";
    String async = ASYNC.replace("=", "");
    assertThat(NodeIdFinder.<String>findOwners(text, OWNERS::get))
        .containsExactly(
            Map.entry("green", List.of(async, async)),
            Map.entry("blue", List.of(blue.replace("=", ""))));
    assertThat(NodeIdFinder.<String>findOwners("", OWNERS::get)).isEmpty();
  }

  @Test
  void tolerateAnyInput() {
    Random random = new Random(3);
    String letters = "aZ0-_=/:%\"{}\\\u0016\u00e4\ud83d";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int j = random.nextInt(120); j > 0; j--) {
        text.append(letters.charAt(random.nextInt(i % 2 == 0 ? 5 : letters.length())));
      }
      assertThat(owner(text.toString())).isNull();
    }
  }

  private static String encoded(String text) {
    return Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
