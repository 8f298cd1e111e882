package dev.weir.observe;

import dev.weir.model.CompletedRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Counts and times finished requests by their path. Safe on any thread. Labels come from a fixed
 * set of words with at most {@value #MAX_SERIES} combinations; further combinations count as {@code
 * other}.
 */
public final class RequestMetrics implements Consumer<CompletedRequest> {
  private static final int MAX_SERIES = 1000;
  private static final String OTHER = "other";

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofSeconds(60)
  };

  /** Upper bounds of the latency buckets. */
  static Duration[] buckets() {
    return BUCKETS.clone();
  }

  /**
   * Finished requests of one path and action.
   *
   * @param cumulativeCounts for each bound of {@link #bucketBoundsMillis}, the requests that took
   *     at most as long
   */
  public record ActionSummary(
      String path,
      String action,
      long requests,
      double totalMillis,
      long requestBytes,
      long responseBytes,
      List<Long> cumulativeCounts) {}

  /** Upper bounds of the latency buckets in milliseconds. */
  public static List<Long> bucketBoundsMillis() {
    return Arrays.stream(BUCKETS).map(Duration::toMillis).toList();
  }

  private record OutcomeKey(String path, String reason, String action, int status) {}

  private record FlowKey(String path, String action) {}

  private record FlowMeters(Timer duration, Counter bytesIn, Counter bytesOut) {}

  private final MeterRegistry registry;
  private final Map<OutcomeKey, Counter> outcomes = new ConcurrentHashMap<>();
  private final Map<FlowKey, FlowMeters> flows = new ConcurrentHashMap<>();

  RequestMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void accept(CompletedRequest log) {
    counter(new OutcomeKey(log.path(), log.reason(), log.action(), log.status())).increment();
    FlowMeters flow = flow(new FlowKey(log.path(), log.action()));
    flow.duration().record(log.durationNanos(), TimeUnit.NANOSECONDS);
    flow.bytesIn().increment((double) log.requestBytes());
    flow.bytesOut().increment((double) log.responseBytes());
  }

  /** Finished requests by {@code path/status}, sorted. */
  public Map<String, Long> countsByPathAndStatus() {
    Map<String, Long> sums = new TreeMap<>();
    outcomes.forEach((outcome, counter) ->
        sums.merge(outcome.path() + "/" + outcome.status(), (long) counter.count(), Long::sum));
    return sums;
  }

  /** Pass-through requests by reason, sorted. */
  public Map<String, Long> passThroughCountsByReason() {
    Map<String, Long> sums = new TreeMap<>();
    outcomes.forEach((outcome, counter) -> {
      if (!outcome.reason().isEmpty()) {
        sums.merge(outcome.reason(), (long) counter.count(), Long::sum);
      }
    });
    return sums;
  }

  /** Finished requests by path and action, sorted. */
  public List<ActionSummary> summariesByAction() {
    return flows.entrySet().stream()
        .map(entry -> kind(entry.getKey(), entry.getValue()))
        .sorted(Comparator.comparing(ActionSummary::path).thenComparing(ActionSummary::action))
        .toList();
  }

  private static ActionSummary kind(FlowKey way, FlowMeters flow) {
    HistogramSnapshot times = flow.duration().takeSnapshot();
    return new ActionSummary(
        way.path(),
        way.action(),
        times.count(),
        times.total(TimeUnit.MILLISECONDS),
        (long) flow.bytesIn().count(),
        (long) flow.bytesOut().count(),
        Arrays.stream(times.histogramCounts()).map(bucket -> (long) bucket.count()).toList());
  }

  private Counter counter(OutcomeKey outcome) {
    Counter known = outcomes.get(outcome);
    if (known != null) {
      return known;
    }
    OutcomeKey counted = outcomes.size() < MAX_SERIES ? outcome : shared(outcome);
    return outcomes.computeIfAbsent(counted, this::register);
  }

  /** Returns the key of all outcomes like this one; only requests that passed have a reason. */
  private static OutcomeKey shared(OutcomeKey outcome) {
    String reason = outcome.reason().isEmpty() ? "" : OTHER;
    return new OutcomeKey(outcome.path(), reason, OTHER, outcome.status() / 100 * 100);
  }

  private Counter register(OutcomeKey outcome) {
    return Counter.builder("weir.requests")
        .description("Requests finished")
        .tag("path", outcome.path())
        .tag("reason", outcome.reason())
        .tag("action", outcome.action())
        .tag("status", Integer.toString(outcome.status()))
        .register(registry);
  }

  private FlowMeters flow(FlowKey way) {
    FlowMeters known = flows.get(way);
    if (known != null) {
      return known;
    }
    FlowKey counted = flows.size() < MAX_SERIES ? way : new FlowKey(way.path(), OTHER);
    return flows.computeIfAbsent(counted, this::register);
  }

  private FlowMeters register(FlowKey way) {
    Timer timer =
        Timer.builder("weir.request")
            .description("From a request's first byte to the response's last")
            .tag("path", way.path())
            .tag("action", way.action())
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    return new FlowMeters(
        timer,
        bytes("weir.request.bytes", "Body bytes received", way),
        bytes("weir.response.bytes", "Body bytes sent", way));
  }

  private Counter bytes(String name, String help, FlowKey way) {
    return Counter.builder(name)
        .description(help)
        .tag("path", way.path())
        .tag("action", way.action())
        .register(registry);
  }
}
