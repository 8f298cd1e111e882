package dev.weir.it.traces;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.traces.OtlpCollector.Span;
import dev.weir.model.TraceParent;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A collector receives the spans that docs/tracing.md describes. */
class TracesDocIT {
  private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);

  @Test
  void verifyTheExamples() throws Exception {
    Path root = Path.of(System.getProperty("weir.root", ".."));
    List<MatchResult> blocks =
        BLOCK.matcher(Files.readString(root.resolve("docs/tracing.md"))).results().toList();
    assertThat(blocks).extracting(block -> block.group(1)).startsWith("yaml", "http", "http");
    String yaml = blocks.getFirst().group(2);
    assertThat(yaml).contains("127.0.0.1:4318");
    try (OtlpCollector collector = OtlpCollector.start();
        TestBed bed =
            TestBed.withSections(
                SharedCluster.get().seeds(), yaml.replace("127.0.0.1:4318", collector.address()))) {
      try {
        send(bed, blocks.get(1).group(2));
        fill(bed);
        String search = blocks.get(2).group(2);
        send(bed, search);
        TraceParent client = Objects.requireNonNull(TraceParent.parse(header(search)));
        List<Span> spans = collector.awaitTrace(client.traceId());
        assertThat(tree(spans, client.spanId(), "")).isEqualTo(blocks.get(3).group(2));
      } finally {
        bed.rest().send("DELETE", "/books");
      }
    }
  }

  private static void fill(TestBed bed) {
    StringBuilder bulk = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      bulk.append("{\"index\": {\"_id\": \"").append(i).append("\"}}\n{\"n\": 1}\n");
    }
    byte[] lines = bulk.toString().getBytes(StandardCharsets.UTF_8);
    bed.rest().bulk("/books/_bulk?refresh=true", lines).orThrow();
  }

  private static String header(String example) {
    return example.lines().toList().get(1).replace("traceparent: ", "");
  }

  private static void send(TestBed bed, String example) throws Exception {
    List<String> lines = example.lines().toList();
    String[] line = lines.getFirst().split(" ", 2);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(bed.uri() + line[1]))
            .header("Content-Type", "application/json")
            .method(line[0], HttpRequest.BodyPublishers.ofString(lines.getLast()));
    if (!lines.get(1).isEmpty()) {
      request.header("traceparent", header(example));
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }
  }

  private static String tree(List<Span> spans, String under, String indent) {
    StringBuilder tree = new StringBuilder();
    spans.stream()
        .filter(span -> span.parentId().equals(under))
        .sorted(Comparator.comparingLong(Span::startNanos))
        .forEach(span ->
            tree.append(indent)
                .append(span.name())
                .append('\n')
                .append(tree(spans, span.spanId(), indent + "  ")));
    return tree.toString();
  }
}
