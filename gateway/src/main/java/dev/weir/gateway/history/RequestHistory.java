package dev.weir.gateway.history;

import dev.weir.admission.head.IndexPathParser;
import dev.weir.model.CompletedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last hour of the gateway. {@link #accept} counts a finished request on its event loop: it
 * adds to striped counters and takes no lock. A virtual thread takes a step every {@link
 * #STEP_DURATION} and keeps the newest {@link #MAX_STEPS}. An hour takes about 8 MB of heap while
 * five kinds of requests come at a time, and at most 20 MB. Safe on any thread.
 */
public final class RequestHistory implements Consumer<CompletedRequest>, AutoCloseable {
  static final Duration STEP_DURATION = Duration.ofSeconds(5);
  static final int MAX_STEPS = 720;

  /** Further kinds of requests count as one. */
  static final int MAX_FLOWS = 50;

  private static final Logger LOGGER = LoggerFactory.getLogger(RequestHistory.class);
  private static final int SLOWEST_OF_STEP = 4;
  private static final int NEWEST_OF_FLOW = 32;
  private static final int NEWEST_OF_OUTCOME = 256;
  private static final int MAX_NAMES = 200;

  /** The names of one request that count. */
  private static final int MAX_INDICES = 8;

  private final GatewayEvents events;
  private final Clocks clocks;
  private final ConcurrentHashMap<Flow, FlowRecord> flows = new ConcurrentHashMap<>();
  private final RequestRing rejected = new RequestRing(NEWEST_OF_OUTCOME);
  private final RequestRing failed = new RequestRing(NEWEST_OF_OUTCOME);
  private final UsageByName byIndex = new UsageByName(MAX_NAMES);
  private final UsageByName byTenant = new UsageByName(MAX_NAMES);
  private final ConcurrentLinkedDeque<HistoryStep> steps = new ConcurrentLinkedDeque<>();
  private volatile SlowestRequests slowest = new SlowestRequests(SLOWEST_OF_STEP);
  private volatile @Nullable HistoryProbe probe;
  private volatile @Nullable Thread sampler;

  /** The state of the thread that takes the steps. */
  private final Map<Flow, UsageCounts.Sums> previous = new HashMap<>();

  private long stepNumber;
  private long previousNanos;
  private long previousCpuNanos;
  private List<String> previousReasons = List.of();
  private Map<String, String> previousReduced = Map.of();

  /** Requests of one kind. */
  private static final class FlowRecord {
    private final UsageCounts counts = new UsageCounts();
    private final RequestRing newest = new RequestRing(NEWEST_OF_FLOW);
  }

  /**
   * The clocks of the history.
   *
   * @param millis the wall clock
   * @param nanos a monotonic clock
   * @param cpuNanos the CPU time of the process so far
   */
  public record Clocks(LongSupplier millis, LongSupplier nanos, LongSupplier cpuNanos) {
    /** The clocks of this process. */
    public static Clocks system() {
      return new Clocks(
          System::currentTimeMillis,
          System::nanoTime,
          () -> ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos());
    }
  }

  /** Creates an empty history. Requests count at once, steps begin with {@link #start}. */
  public RequestHistory(Clocks clocks) {
    this.clocks = clocks;
    this.events = new GatewayEvents(clocks.millis());
  }

  /** Takes a step every few seconds from now on, until {@link #close}. */
  public void start(HistoryProbe gateway) {
    begin(gateway);
    sampler = Thread.ofVirtual().name("weir-history").start(this::takeSteps);
  }

  /** Begins the first step. */
  void begin(HistoryProbe gateway) {
    previousNanos = clocks.nanos().getAsLong();
    previousCpuNanos = clocks.cpuNanos().getAsLong();
    previousReasons = gateway.notReadyReasons();
    previousReduced = gateway.reducedNodes();
    probe = gateway;
  }

  private void takeSteps() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.sleep(STEP_DURATION);
        try {
          takeStep();
        } catch (RuntimeException e) {
          LOGGER.warn("the history lacks a step", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void accept(CompletedRequest request) {
    FlowRecord flow = flow(Flow.of(request));
    flow.counts.add(request);
    RecentRequest kept = RecentRequest.of(request);
    flow.newest.add(kept);
    switch (RequestOutcome.of(request)) {
      case REJECTED -> rejected.add(kept);
      case FAILED -> failed.add(kept);
      case ANSWERED -> {
        // its kind has it
      }
    }
    slowest.offer(kept);
    byTenant.add(request.tenant(), request);
    List<String> indices = IndexPathParser.parse(request.uri());
    for (int i = 0; i < Math.min(indices.size(), MAX_INDICES); i++) {
      byIndex.add(indices.get(i), request);
    }
  }

  private FlowRecord flow(Flow key) {
    FlowRecord known = flows.get(key);
    if (known == null && flows.size() >= MAX_FLOWS) {
      known = flows.get(Flow.OTHER);
    }
    return known == null
        ? flows.computeIfAbsent(
            flows.size() < MAX_FLOWS ? key : Flow.OTHER, any -> new FlowRecord())
        : known;
  }

  /** Ends the current step and begins the next one. Called by one thread. */
  void takeStep() {
    HistoryProbe gateway = probe;
    if (gateway == null) {
      return;
    }
    long now = clocks.nanos().getAsLong();
    long cpu = clocks.cpuNanos().getAsLong();
    long lengthNanos = Math.max(1, now - previousNanos);
    Map<Flow, UsageCounts.Sums> ended = new HashMap<>();
    flows.forEach((flow, record) -> {
      UsageCounts.Sums sums = record.counts.sums();
      UsageCounts.Sums before = previous.put(flow, sums);
      UsageCounts.Sums more = before == null ? sums : sums.minus(before);
      if (more.requests() > 0) {
        ended.put(flow, more);
      }
    });
    SlowestRequests slow = slowest;
    slowest = new SlowestRequests(SLOWEST_OF_STEP);
    Runtime jvm = Runtime.getRuntime();
    steps.addLast(
        new HistoryStep(
            ++stepNumber,
            clocks.millis().getAsLong(),
            lengthNanos / 1e9,
            Map.copyOf(ended),
            new HistoryStep.GatewayFigures(
                (double) (cpu - previousCpuNanos) / lengthNanos,
                jvm.totalMemory() - jvm.freeMemory(),
                gateway.inFlight(),
                gateway.waiting(),
                gateway.nodeCpu()),
            slow.requests()));
    if (stepNumber > MAX_STEPS) {
      steps.pollFirst();
    }
    previousNanos = now;
    previousCpuNanos = cpu;
    byIndex.onStep();
    byTenant.onStep();
    recordReadiness(gateway.notReadyReasons());
    recordReducedNodes(gateway.reducedNodes());
  }

  private void recordReducedNodes(Map<String, String> reduced) {
    reduced.forEach((node, share) -> {
      if (!share.equals(previousReduced.get(node))) {
        events.add(GatewayEvents.Kind.DRAIN, "node " + node + ' ' + share);
      }
    });
    previousReduced.keySet().stream()
        .filter(node -> !reduced.containsKey(node))
        .sorted()
        .forEach(node ->
            events.add(
                GatewayEvents.Kind.DRAIN, "node " + node + " gets its usual share of requests"));
    previousReduced = Map.copyOf(reduced);
  }

  private void recordReadiness(List<String> reasons) {
    if (!reasons.equals(previousReasons)) {
      events.add(
          GatewayEvents.Kind.READINESS,
          reasons.isEmpty() ? "ready" : "not ready: " + String.join("; ", reasons));
      previousReasons = List.copyOf(reasons);
    }
  }

  /** Where reloads, shifts and drains are recorded. */
  public GatewayEvents events() {
    return events;
  }

  /** The completed steps, the oldest first. */
  List<HistoryStep> steps() {
    return List.copyOf(steps);
  }

  /** The use by index, as paths name it. */
  UsageByName byIndex() {
    return byIndex;
  }

  /** The use by tenant. */
  UsageByName byTenant() {
    return byTenant;
  }

  /** The newest rejected requests, in no order. */
  List<RecentRequest> rejected() {
    return rejected.requests();
  }

  /** The newest requests with a status of 500 or more, in no order. */
  List<RecentRequest> failed() {
    return failed.requests();
  }

  /** The newest requests of each kind, in no order. */
  List<RecentRequest> newest() {
    List<RecentRequest> found = new ArrayList<>();
    flows.values().forEach(flow -> found.addAll(flow.newest.requests()));
    return found;
  }

  /** The slowest requests of each step that ended after a moment, and of the current one. */
  List<RecentRequest> slowest(long afterMillis) {
    List<RecentRequest> found = new ArrayList<>(slowest.requests());
    for (HistoryStep step : steps) {
      if (step.endMillis() > afterMillis) {
        found.addAll(step.slowest());
      }
    }
    return found;
  }

  /** The clocks. */
  Clocks clocks() {
    return clocks;
  }

  /** The gateway; null before {@link #start}. */
  @Nullable HistoryProbe probe() {
    return probe;
  }

  @Override
  public void close() {
    Thread running = sampler;
    if (running != null) {
      running.interrupt();
    }
  }
}
