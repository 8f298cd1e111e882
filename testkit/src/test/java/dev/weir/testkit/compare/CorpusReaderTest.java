package dev.weir.testkit.compare;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.xcontent.XContentType;

class CorpusReaderTest {
  private static final Map<String, String> RUN = Map.of("run", "q1r");

  private static ComparisonStep step(String text) {
    return CorpusReader.parse("test", "== name\n" + text).getFirst().steps().getFirst();
  }

  private static String bytes(String text) {
    return new String(step(text).request().render(RUN, "host:1", "opaque"), UTF_8);
  }

  @Test
  void readsScenariosAndTheirRequests() {
    List<ComparisonScenario> scenarios =
        CorpusReader.parse(
            "test",
            """
            # comment
            == first one
            -- once
            PUT /a
            -- both
            DELETE /a

            == second
            -- ignore=a.b unordered=c capture=id:_id ignore-header=Date
            GET /b
            """);

    assertThat(scenarios)
        .extracting(ComparisonScenario::name)
        .containsExactly("first one", "second");
    assertThat(scenarios.getFirst().steps())
        .extracting(ComparisonStep::mode)
        .containsExactly(ComparisonStep.Mode.SENT_ONCE, ComparisonStep.Mode.SENT_TO_BOTH);
    ComparisonStep last = scenarios.getLast().steps().getFirst();
    assertThat(last).hasToString("GET /b (test:9)");
    assertThat(last.mode()).isEqualTo(ComparisonStep.Mode.COMPARED);
    assertThat(last.masks())
        .isEqualTo(
            new ComparisonMasks(List.of(PathPattern.of("a.b")), List.of(PathPattern.of("c"))));
    assertThat(last.captures()).isEqualTo(Map.of("id", PathPattern.of("_id")));
    assertThat(last.ignoredHeaders()).containsExactly("date");
  }

  @Test
  void completesARequestAndFillsInVariables() {
    assertThat(bytes("--\nPOST /{run}-a/_search?x={other}\n\n{\"a\":\"{run}\"}\n\n"))
        .isEqualTo(
            "POST /q1r-a/_search?x={other} HTTP/1.1\r\n"
                + "Content-Type: application/json\r\n"
                + "Host: host:1\r\n"
                + "X-Opaque-Id: opaque\r\n"
                + "Content-Length: 11\r\n\r\n"
                + "{\"a\":\"q1r\"}");
  }

  @Test
  void endsLinesOfABulk() {
    assertThat(bytes("--\nPOST /_bulk?refresh=true\n\n{\"index\":{}}\n{\"a\":1}\n"))
        .contains("Content-Type: application/x-ndjson\r\n")
        .endsWith("\r\n\r\n{\"index\":{}}\n{\"a\":1}\n");
  }

  @Test
  void keepsHeadersThatAreGiven() {
    assertThat(
            bytes("-- bare\nGET /\nHost: h\nContent-Length: 3\nContent-Type: text/plain\n\nabcdef"))
        .isEqualTo(
            "GET / HTTP/1.1\r\n"
                + "Host: h\r\n"
                + "Content-Length: 3\r\n"
                + "Content-Type: text/plain\r\n\r\n"
                + "abcdef");
  }

  @Test
  void sendABodyInOneChunkWhenRequested() {
    assertThat(bytes("--\nPOST /a\nTransfer-Encoding: chunked\n\n0123456789abcdef"))
        .doesNotContain("Content-Length")
        .endsWith("\r\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n");
  }

  @Test
  void writesJsonInOtherFormats() {
    byte[] bytes =
        step("-- as=smile\nPOST /a\n\n{\"a\":1}").request().render(RUN, "host", "opaque");

    String text = new String(bytes, ISO_8859_1);
    byte[] body = text.substring(text.indexOf("\r\n\r\n") + 4).getBytes(ISO_8859_1);
    assertThat(text).contains("Content-Type: application/smile\r\n");
    assertThat(BodyFormats.read(XContentType.SMILE, body))
        .hasValueSatisfying(tree -> assertThat(tree).hasToString("{\"a\":1}"));
  }

  @Test
  void sendsRawBytesAsTheyAre() {
    byte[] bytes =
        step("-- raw\nGET / HTTP/9.9\\r\\n\nX: \\xe9{run}\\r\\n\\r\\n")
            .request()
            .render(RUN, "", "");

    assertThat(new String(bytes, ISO_8859_1)).isEqualTo("GET / HTTP/9.9\r\nX: \u00e9q1r\r\n\r\n");
  }

  @Test
  void sendsAnEscapedBodyToTheByte() {
    assertThat(bytes("-- escaped\nPOST /_bulk\n\n{\"index\":{}}\\r\\n\n {run}\\n\\n"))
        .contains("Content-Type: application/x-ndjson\r\n")
        .endsWith("\r\n\r\n{\"index\":{}}\r\n q1r\n\n");
  }

  @Test
  void putsInTheRequestsOfAnotherFile(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("given.requests"), "== a\n--\nGET /a\n== the b\n--\nGET /b\n");
    Path file = folder.resolve("of.requests");
    Files.writeString(file, "== of\n++ given.requests the b\n--\nGET /c\n");

    assertThat(CorpusReader.readFile(file))
        .singleElement()
        .satisfies(scenario ->
            assertThat(scenario.steps())
                .extracting(ComparisonStep::toString)
                .containsExactly("GET /b (given.requests:5)", "GET /c (of.requests:3)"));
    assertThatThrownBy(() -> CorpusReader.parse("test", "== a\n++ given.requests the b"))
        .hasMessageStartingWith("test: got ++ given.requests (expected: none");
    Files.writeString(file, "== of\n++ given.requests nothing\n");
    assertThatThrownBy(() -> CorpusReader.readFile(file))
        .hasMessage("of.requests:2: got no scenario [given.requests nothing]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          -- onec                    | got the option [onec] (expected: once, both, raw,
          -- capture=id              | got capture=[id] (expected: capture=NAME:PATH)
          -- as=xml                  | got the format [xml] (expected: yaml, cbor or smile)
          --                         | got no line after it (expected: METHOD /TARGET)
          """)
  void reportErrorsWithTheirLine(String line, String problem) {
    assertThatThrownBy(() -> step(line + "\n"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("test:2: " + problem);
  }

  @Test
  void refusesTextOutsideOfRequests() {
    assertThatThrownBy(() -> CorpusReader.parse("test", "GET /"))
        .hasMessage("test:1: got [GET /] (expected: ==, ++, -- or # at the start of the line)");
    assertThatThrownBy(() -> CorpusReader.parse("test", "--\nGET /"))
        .hasMessage("test:1: got a request (expected: == and the scenario's name first)");
    assertThatThrownBy(() -> step("--\nGET http://a/"))
        .hasMessage("test:2: got [GET http://a/] after it (expected: METHOD /TARGET)");
  }
}
