package dev.weir.testkit.demo;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Consumer;

/** Loads the sample data: a product catalogue, and three days of a web server's access log. */
public final class SampleDataLoader {
  private static final int PRODUCTS = 2_000;
  private static final int REQUESTS_A_DAY = 2_000;
  private static final int BULK_DOCUMENTS = 500;

  private final List<SampleIndex> indices;
  private final RestClient rest;
  private final int replicas;

  /**
   * Creates a loader of data up to yesterday.
   *
   * @param rest the target
   * @param replicas the number of replicas of each shard
   * @param clock provides the current day
   */
  public SampleDataLoader(RestClient rest, int replicas, Clock clock) {
    this.rest = rest;
    this.replicas = replicas;
    LocalDate today = LocalDate.now(clock);
    this.indices =
        List.of(
            new ProductCatalogueIndex(PRODUCTS, today),
            new AccessLogIndex(today.minusDays(3), REQUESTS_A_DAY),
            new AccessLogIndex(today.minusDays(2), REQUESTS_A_DAY),
            new AccessLogIndex(today.minusDays(1), REQUESTS_A_DAY));
  }

  /** Loads the indices that do not exist yet. */
  public void load(Consumer<String> progress) {
    for (SampleIndex index : indices) {
      if (rest.send("HEAD", "/" + index.name()).status() == 200) {
        progress.accept("kept index " + index.name());
      } else {
        int documents = load(index);
        progress.accept("loaded " + documents + " documents into " + index.name());
      }
    }
  }

  private int load(SampleIndex index) {
    rest.send("PUT", "/" + index.name(), index.creation(replicas)).orThrow();
    int documents = 0;
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (SampleIndex.SampleDocument document : index.documents().toList()) {
      String action =
          document.id().isEmpty()
              ? "{\"index\":{}}\n"
              : "{\"index\":{\"_id\":\"" + document.id() + "\"}}\n";
      lines.writeBytes((action + document.source() + "\n").getBytes(StandardCharsets.UTF_8));
      documents++;
      if (documents % BULK_DOCUMENTS == 0) {
        send(index, lines);
      }
    }
    if (lines.size() > 0) {
      send(index, lines);
    }
    rest.send("POST", "/" + index.name() + "/_refresh").orThrow();
    return documents;
  }

  private void send(SampleIndex index, ByteArrayOutputStream lines) {
    RestReply reply = rest.bulk("/" + index.name() + "/_bulk", lines.toByteArray()).orThrow();
    if (!reply.body().contains("\"errors\":false")) {
      throw new IllegalStateException("got failed items (expected: none): " + reply.body());
    }
    lines.reset();
  }
}
