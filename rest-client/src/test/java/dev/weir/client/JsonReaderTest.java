package dev.weir.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonReaderTest {
  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void readValuesByTheirPaths() throws IOException {
    JsonTree tree =
        JsonReader.readObject(
            """
            {"a":{"b":{"text":"t","number":7,"written":"8","float":1.50,"yes":true,"also":"true"}},
            "list":[1,"two",null,{"x":3}],"none":null,"long":9223372036854775807,
            "longer":92233720368547758070}
            """);
    JsonTree inner = tree.child("a", "b");
    assertThat(tree.text("a", "b", "text")).isEqualTo("t");
    assertThat(inner.text("float")).isEqualTo("1.50");
    assertThat(inner.number("number")).isEqualTo(7);
    assertThat(inner.number("written")).isEqualTo(8);
    assertThat(inner.number("float")).isEqualTo(1.5);
    assertThat(inner.number("text")).isZero();
    assertThat(inner.child("number").toLong(-1)).isEqualTo(7);
    assertThat(inner.child("written").toLong(-1)).isEqualTo(8);
    assertThat(inner.child("text").toLong(-1)).isEqualTo(-1);
    assertThat(inner.isTrue("yes") && inner.isTrue("also")).isTrue();
    assertThat(inner.isTrue("text")).isFalse();
    assertThat(tree.text("list")).startsWith("1,two,");
    assertThat(tree.items("list")).hasSize(3);
    assertThat(tree.children("list").getLast().number("x")).isEqualTo(3);
    assertThat(tree.text("long")).isEqualTo("9223372036854775807");
    assertThat(tree.text("longer")).isEqualTo("92233720368547758070");
    assertThat(tree.members()).containsOnlyKeys("a", "list", "long", "longer");
    assertThat(inner.memberTexts()).containsEntry("number", "7").containsEntry("yes", "true");
  }

  @Test
  void takeAMissingValueForAnEmptyOne() throws IOException {
    JsonTree tree = JsonReader.readObject("{\"a\":1,\"none\":null}");
    for (JsonTree missing :
        new JsonTree[] {
          tree.child("x"), tree.child("a", "b"), tree.child("none"), JsonTree.MISSING
        }) {
      assertThat(missing.isMissing()).isTrue();
      assertThat(missing.text()).isEmpty();
      assertThat(missing.number()).isZero();
      assertThat(missing.toLong(5)).isEqualTo(5);
      assertThat(missing.isTrue()).isFalse();
      assertThat(missing.children()).isEmpty();
      assertThat(missing.texts()).isEmpty();
      assertThat(missing.members()).isEmpty();
      assertThat(missing.memberTexts()).isEmpty();
    }
  }

  @Test
  void refuseTextsThatAreNoObjects() {
    for (String text : new String[] {"", "nonsense", "[1]", "7", "{\"a\":", "{\"a\":[1,"}) {
      assertThatThrownBy(() -> JsonReader.readObject(text))
          .isInstanceOf(IOException.class)
          .hasMessage("got " + text + " (expected: a JSON object)");
    }
    assertThatThrownBy(() -> JsonReader.readObject("x".repeat(300)))
        .hasMessage("got " + "x".repeat(200) + "... (expected: a JSON object)");
  }

  @Test
  void readAPartAtATime() throws IOException {
    List<String> parts = new ArrayList<>();
    JsonReader.forEachMember(
        stream("{\"a\":{\"x\":1},\"b\":[2,3]}"),
        (name, value) -> parts.add(name + value.text("x") + value.text()));
    JsonReader.forEachElement(stream("[4,{\"x\":5}]"), value -> parts.add(value.text("x") + "."));
    assertThat(parts).hasSize(4).first().asString().startsWith("a1");
    assertThat(parts.subList(1, 4)).containsExactly("b2,3", ".", "5.");
    assertThat(JsonReader.read(stream("{\"a\":1}")).members()).isEqualTo(Map.of("a", 1));
  }

  @Test
  void reportStreamsThatAreNotWhatIsExpected() {
    assertThatThrownBy(() -> JsonReader.read(stream("")))
        .hasMessage("the response ended too early");
    assertThatThrownBy(() -> JsonReader.read(stream("<html>")))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("the response is no JSON: ");
    assertThatThrownBy(() -> JsonReader.forEachMember(stream("[]"), (name, value) -> {}))
        .hasMessage("got START_ARRAY (expected: START_OBJECT)");
    assertThatThrownBy(() -> JsonReader.forEachElement(stream("[{\"a\":"), value -> {}))
        .isInstanceOf(IOException.class);
  }

  @Test
  void keepTheFailureOfTheStream() {
    InputStream failing =
        new FilterInputStream(stream("[")) {
          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            throw new OversizedResponseException(7);
          }
        };
    assertThatThrownBy(() -> JsonReader.read(failing))
        .isInstanceOf(OversizedResponseException.class);
  }
}
