package dev.weir.bench.overload;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends single requests that are too large for a gateway with a heap of 256 MB beside small ones of
 * other clients: an aggregation with five million buckets, and a bulk of 100 MB.
 */
final class OversizedRequests {
  private static final String INDEX = "/bench";
  private static final long BETWEEN_NANOS = 1_000_000_000;
  private static final double MAX_RATIO = 1.5;
  private static final Set<Integer> DONE = Set.of(200);

  /** The gateway may have no memory for it; it may not fail with anything else. */
  private static final Set<Integer> REJECTED_OR_DONE = Set.of(200, 429);

  private static final int SHOWN = 400;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final MeasuredGateway weir;
  private final RestClient node;
  private final URI gateway;
  private final Sizes sizes;

  /**
   * The sizes of the requests.
   *
   * @param buckets of the aggregation
   * @param bulkBytes of the bulk's body
   * @param rounds for each request
   */
  record Sizes(int buckets, int bulkBytes, int rounds) {}

  OversizedRequests(
      PrintStream out, ResultChecks verdicts, MeasuredGateway weir, RestClient node, Sizes sizes) {
    this.sizes = sizes;
    this.out = out;
    this.verdicts = verdicts;
    this.weir = weir;
    this.node = node;
    this.gateway = URI.create("http://127.0.0.1:" + weir.address().getPort());
  }

  void run(double seconds) {
    BackgroundSearches neighbours = new BackgroundSearches(out, weir, seconds);
    byte[] bulk = bulk();
    maxBuckets("2147483647");
    try {
      String wide = "an aggregation of " + sizes.buckets() + " buckets";
      Measurement seen =
          measure(wide, new OversizedRequest(REJECTED_OR_DONE, false, this::aggregate), neighbours);
      verdicts.checkAtMost(
          wide, "neighbours' p99 beside calm", seen.millis() / seen.baselineMillis(), MAX_RATIO);
      String title = "a bulk of " + (sizes.bulkBytes() >> 20) + " MB";
      Measurement straight =
          measure(
              title + ", straight to a node",
              new OversizedRequest(DONE, true, () -> bulk(node.base(), bulk)),
              neighbours);
      Measurement through =
          measure(title, new OversizedRequest(DONE, true, () -> bulk(gateway, bulk)), neighbours);
      verdicts.checkAtMost(
          title,
          "neighbours' p99 beside that with the same straight to a node",
          through.millis() / straight.millis(),
          MAX_RATIO);
    } finally {
      maxBuckets(null);
    }
  }

  /**
   * A request, and what may come of it.
   *
   * @param statuses that may answer it
   * @param isBulk whether a success must have written all documents
   */
  record OversizedRequest(Set<Integer> statuses, boolean isBulk, Supplier<RestReply> sender) {
    boolean allows(RestReply reply) {
      return statuses.contains(reply.status())
          && (!isBulk || !reply.body().contains("\"errors\":true"));
    }
  }

  /** The 99th percentile of the small requests, without and with the oversized request. */
  private record Measurement(double baselineMillis, double millis) {}

  /**
   * Warms up, alternates rounds without and with the oversized request, and takes the median of
   * each, because a host may have hiccups.
   */
  private Measurement measure(
      String title, OversizedRequest oversized, BackgroundSearches neighbours) {
    beside(oversized, neighbours, new ArrayList<>());
    List<RestReply> replies = new ArrayList<>();
    double[] calm = new double[sizes.rounds()];
    double[] beside = new double[sizes.rounds()];
    double errors = 0;
    for (int i = 0; i < sizes.rounds(); i++) {
      calm[i] = neighbours.run().millis(99);
      OpenLoopLoad.Result seen = beside(oversized, neighbours, replies);
      beside[i] = seen.millis(99);
      errors += BackgroundSearches.errorCount(seen);
    }
    Measurement middle = new Measurement(middle(calm), middle(beside));
    RestReply first = replies.getFirst();
    String body = first.body();
    out.printf(
        "%s, %d times: %d %s%n",
        title, replies.size(), first.status(), body.substring(0, Math.min(SHOWN, body.length())));
    out.printf(
        "  neighbours, %.0f/s: p99 %.1f ms of %s (calm: %.1f of %s), %.0f errors; resident %d MB%n",
        neighbours.requestsPerSecond(),
        middle.millis(),
        Arrays.toString(rounded(beside)),
        middle.baselineMillis(),
        Arrays.toString(rounded(calm)),
        errors,
        ProcessUsage.read(weir.pid()).peakResidentBytes() >> 20);
    check(verdicts, title, oversized, replies);
    verdicts.checkAtMost(title, "neighbours' errors", errors, 0);
    return middle;
  }

  /** Checks that the responses are what a user may get, and each time the same. */
  static void check(
      ResultChecks verdicts, String title, OversizedRequest oversized, List<RestReply> replies) {
    int status = replies.getFirst().status();
    verdicts.checkTrue(
        title,
        "answered %d (expected: one of %s%s), each time alike"
            .formatted(
                status,
                new TreeSet<>(oversized.statuses()),
                oversized.isBulk() ? ", without errors" : ""),
        replies.stream().allMatch(reply -> reply.status() == status && oversized.allows(reply)));
  }

  private static OpenLoopLoad.Result beside(
      OversizedRequest oversized, BackgroundSearches neighbours, List<RestReply> replies) {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> sender =
        CompletableFuture.runAsync(() -> {
          while (!over.get()) {
            replies.add(oversized.sender().get());
            LockSupport.parkNanos(BETWEEN_NANOS);
          }
        });
    OpenLoopLoad.Result seen = neighbours.run();
    over.set(true);
    sender.join();
    return seen;
  }

  private static double middle(double[] numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long[] rounded(double[] millis) {
    return Arrays.stream(millis).mapToLong(Math::round).toArray();
  }

  private RestReply aggregate() {
    String body =
        "{\"size\":0,\"aggs\":{\"oversized\":{\"histogram\":{\"field\":\"number\",\"interval\":1,"
            + "\"min_doc_count\":0,\"extended_bounds\":{\"min\":0,\"max\":"
            + (sizes.buckets() - 1)
            + "}}}}}";
    try (RestClient rest = new RestClient(gateway)) {
      return rest.send("POST", INDEX + "/_search?request_cache=false", body);
    }
  }

  private static RestReply bulk(URI to, byte[] lines) {
    try (RestClient rest = new RestClient(to)) {
      return rest.bulk("/bench-write/_bulk?filter_path=took,errors", lines);
    }
  }

  private byte[] bulk() {
    Random random = new Random(2);
    StringBuilder lines = new StringBuilder(sizes.bulkBytes());
    for (int i = 0; lines.length() < sizes.bulkBytes() - 2048; i++) {
      lines.append("{\"index\":{}}\n").append(Workload.generateDocument(random, i)).append('\n');
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
