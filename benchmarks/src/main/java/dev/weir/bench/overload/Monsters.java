package dev.weir.bench.overload;

import dev.weir.bench.Load;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUse;
import dev.weir.bench.Workload;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Single requests that are too big for a gateway of 256 MB of heap, while small ones of neighbours
 * go on: an aggregation of five million buckets, and a bulk of 100 MB.
 */
final class Monsters {
  private static final String INDEX = "/bench";
  private static final int BUCKETS = 5_000_000;
  private static final int BULK_BYTES = 99 << 20;
  private static final int NEIGHBOURS = 4;
  private static final double MOST_TIMES = 1.5;
  private static final int SHOWN = 400;

  private final PrintStream out;
  private final Verdicts verdicts;
  private final MeasuredGateway weir;
  private final RestClient node;
  private final URI gateway;

  Monsters(PrintStream out, Verdicts verdicts, MeasuredGateway weir, RestClient node) {
    this.out = out;
    this.verdicts = verdicts;
    this.weir = weir;
    this.node = node;
    this.gateway = URI.create("http://127.0.0.1:" + weir.address().getPort());
  }

  void run(double seconds) {
    Workload small = Workload.search(10, "?request_cache=false");
    Load.run(weir.address(), small, NEIGHBOURS, seconds);
    Load.Result calm = Load.run(weir.address(), small, NEIGHBOURS, seconds);
    maxBuckets("2147483647");
    try {
      measure("an aggregation of 5,000,000 buckets", this::aggregate, small, calm, seconds);
      byte[] bulk = bulk();
      measure("a bulk of 99 MB", () -> bulk(bulk), small, calm, seconds);
    } finally {
      maxBuckets(null);
    }
  }

  private interface Monster {
    RestReply send();
  }

  private void measure(
      String title, Monster monster, Workload small, Load.Result calm, double seconds) {
    List<RestReply> replies = new ArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> sender =
        CompletableFuture.runAsync(() -> {
          while (!over.get()) {
            replies.add(monster.send());
          }
        });
    Load.Result beside = Load.run(weir.address(), small, NEIGHBOURS, seconds);
    over.set(true);
    sender.join();
    RestReply first = replies.getFirst();
    String body = first.body();
    out.printf(
        "%s, %d times: %d %s%n",
        title, replies.size(), first.status(), body.substring(0, Math.min(SHOWN, body.length())));
    out.printf(
        "  neighbours: p99 %.1f ms (%.1f before), %d errors; resident %d MB%n",
        beside.millis(99),
        calm.millis(99),
        beside.errors(),
        ProcessUse.of(weir.pid()).peakResidentBytes() >> 20);
    verdicts.holds(
        title,
        "answered " + first.status() + ", each time alike",
        replies.stream().allMatch(reply -> reply.status() == first.status()));
    verdicts.atMost(title, "neighbours' errors", (double) beside.errors(), 0);
    verdicts.atMost(
        title, "neighbours' p99 beside calm", beside.millis(99) / calm.millis(99), MOST_TIMES);
  }

  private RestReply aggregate() {
    String body =
        "{\"size\":0,\"aggs\":{\"monster\":{\"histogram\":{\"field\":\"number\",\"interval\":1,"
            + "\"min_doc_count\":0,\"extended_bounds\":{\"min\":0,\"max\":"
            + (BUCKETS - 1)
            + "}}}}}";
    try (RestClient rest = new RestClient(gateway)) {
      return rest.send("POST", INDEX + "/_search?request_cache=false", body);
    }
  }

  private RestReply bulk(byte[] lines) {
    try (RestClient rest = new RestClient(gateway)) {
      return rest.bulk("/bench-write/_bulk?filter_path=took,errors", lines);
    }
  }

  private static byte[] bulk() {
    Random random = new Random(2);
    StringBuilder lines = new StringBuilder(BULK_BYTES);
    for (int i = 0; lines.length() < BULK_BYTES - 2048; i++) {
      lines.append("{\"index\":{}}\n").append(Workload.document(random, i)).append('\n');
    }
    return lines.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void maxBuckets(@Nullable String most) {
    node.send(
            "PUT",
            "/_cluster/settings",
            "{\"transient\":{\"search.max_buckets\":" + (most == null ? "null" : most) + "}}")
        .orThrow();
  }
}
