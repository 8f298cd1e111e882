package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.columnar.Caller.Answer;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What docs/columnar.md and docs/export.md say is answered is answered. */
class ColumnarDocIT {
  private static final Pattern BLOCK =
      Pattern.compile("```(http|json|csv|ndjson)\n(.*?)```", Pattern.DOTALL);

  /** A request, and what the document says is answered. */
  private record Example(String request, @Nullable String kind, String answer) {}

  @ParameterizedTest
  @CsvSource({"columnar, 4", "export, 2"})
  void theExamplesAreTrue(String document, int answered) throws IOException {
    List<Example> examples = examples("docs/" + document + ".md");
    assertThat(examples.stream().filter(example -> example.kind != null))
        .hasSizeGreaterThanOrEqualTo(answered);
    try (TestBed bed = TestBed.before(SharedCluster.get().seeds());
        Caller caller = new Caller(bed.uri())) {
      caller.send("DELETE", "/shop?ignore_unavailable=true", "", Map.of());
      try {
        examples.forEach(example -> check(caller, example));
      } finally {
        caller.send("DELETE", "/shop?ignore_unavailable=true", "", Map.of());
      }
    }
  }

  private static List<Example> examples(String document) throws IOException {
    Path root = Path.of(System.getProperty("weir.root", ".."));
    Matcher blocks = BLOCK.matcher(Files.readString(root.resolve(document)));
    List<Example> examples = new ArrayList<>();
    while (blocks.find()) {
      String kind = blocks.group(1);
      String text = blocks.group(2);
      if (kind.equals("http")) {
        examples.add(new Example(text, null, ""));
      } else {
        examples.add(new Example(examples.removeLast().request, kind, text));
      }
    }
    return examples;
  }

  private static void check(Caller caller, Example example) {
    int end = example.request.indexOf('\n');
    String[] line = example.request.substring(0, end).split(" ", 2);
    Answer answer = caller.send(line[0], line[1], example.request.substring(end + 1), Map.of());

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    switch (Objects.requireNonNullElse(example.kind, "")) {
      case "json" -> assertThat(json(answer.text())).isEqualTo(json(example.answer));
      case "csv" -> assertThat(answer.text()).isEqualTo(example.answer.replace("\n", "\r\n"));
      case "ndjson" -> assertThat(answer.text()).isEqualTo(example.answer);
      default -> assertThat(answer.text()).doesNotContain("\"errors\":true");
    }
  }

  private static Map<String, Object> json(String text) {
    Map<String, Object> all = Rows.json(text);
    assertThat(all.remove("took")).isNotNull();
    all.remove("terminated_early"); // as it happens
    return all;
  }
}
