package dev.weir.it.pruning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** The requests in docs/pruning.md get the documented responses. */
class PruningDocIT {
  private static final Pattern BLOCK =
      Pattern.compile("```(yaml|http|json)\n(.*?)```", Pattern.DOTALL);

  @Test
  void verifyTheExamples() throws IOException {
    Path root = Path.of(System.getProperty("weir.root", ".."));
    Matcher blocks = BLOCK.matcher(Files.readString(root.resolve("docs/pruning.md")));
    assertThat(blocks.find()).isTrue();
    assertThat(blocks.group(1)).isEqualTo("yaml");
    try (TestBed bed = TestBed.withSections(SharedCluster.get().seeds(), blocks.group(2))) {
      cleanUp(bed);
      try {
        assertThat(check(bed, blocks)).isEqualTo(2);
      } finally {
        cleanUp(bed);
      }
    }
  }

  private static void cleanUp(TestBed bed) {
    bed.rest().send("DELETE", "/metrics-*");
    bed.rest().send("DELETE", "/_index_template/metrics");
  }

  /** Sends the requests; returns the number of compared responses. */
  private static int check(TestBed bed, Matcher blocks) {
    int compared = 0;
    String answer = "";
    while (blocks.find()) {
      if (blocks.group(1).equals("json")) {
        assertThat(json(answer)).isEqualTo(json(blocks.group(2)));
        compared++;
        continue;
      }
      RestReply reply = send(bed, blocks.group(2));
      answer = reply.body();
      if (reply.request().contains("_block")) {
        DailyIndices.awaitKnown(bed, known -> known == 5);
      } else if (reply.request().contains("_settings")) {
        DailyIndices.awaitKnown(bed, known -> known == 4);
      }
    }
    return compared;
  }

  private static RestReply send(TestBed bed, String example) {
    int end = example.indexOf('\n');
    String[] line = example.substring(0, end).split(" ", 2);
    String body = example.substring(end + 1);
    RestReply reply =
        line[1].startsWith("/_bulk")
            ? bed.rest().bulk(line[1], body.getBytes(StandardCharsets.UTF_8))
            : body.isBlank()
                ? bed.rest().send(line[0], line[1])
                : bed.rest().send(line[0], line[1], body);
    assertThat(reply.orThrow().body()).doesNotContain("\"errors\":true");
    return reply;
  }

  private static Map<String, Object> json(String text) {
    Map<String, Object> all = XContentHelper.convertToMap(JsonXContent.jsonXContent, text, true);
    assertThat(all.remove("took")).isNotNull();
    all.remove("terminated_early"); // as it happens
    return all;
  }
}
