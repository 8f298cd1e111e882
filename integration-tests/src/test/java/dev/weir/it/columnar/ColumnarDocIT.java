package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.DocExamples;
import dev.weir.it.DocExamples.Example;
import dev.weir.it.TestBed;
import dev.weir.it.columnar.BytesClient.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requests in docs/columnar.md and docs/export.md get the documented responses. */
class ColumnarDocIT {
  @ParameterizedTest
  @CsvSource({"columnar, 5", "export, 2"})
  void verifyTheExamples(String document, int answered) throws IOException {
    List<Example> examples = DocExamples.of(document + ".md");
    assertThat(examples.stream().filter(example -> !example.kind().isEmpty()))
        .hasSizeGreaterThanOrEqualTo(answered);
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
        BytesClient caller = new BytesClient(bed.uri())) {
      caller.send("DELETE", "/shop?ignore_unavailable=true", "", Map.of());
      try {
        examples.forEach(example -> check(caller, example));
      } finally {
        caller.send("DELETE", "/shop?ignore_unavailable=true", "", Map.of());
      }
    }
  }

  private static void check(BytesClient caller, Example example) {
    Answer answer = caller.send(example.method(), example.path(), example.body(), Map.of());

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    switch (example.kind()) {
      case "json" -> assertThat(json(answer.text())).isEqualTo(json(example.answer()));
      case "csv" -> assertThat(answer.text()).isEqualTo(example.answer().replace("\n", "\r\n"));
      case "ndjson" -> assertThat(answer.text()).isEqualTo(example.answer());
      default -> assertThat(answer.text()).doesNotContain("\"errors\":true");
    }
  }

  private static Map<String, Object> json(String text) {
    Map<String, Object> all = ExpectedRows.json(text);
    removeTimes(all);
    ExpectedRows.list(all.get("responses")).forEach(own -> removeTimes(ExpectedRows.map(own)));
    return all;
  }

  private static void removeTimes(Map<String, Object> response) {
    assertThat(response.remove("took")).isNotNull();
    response.remove("terminated_early"); // as it happens
  }
}
