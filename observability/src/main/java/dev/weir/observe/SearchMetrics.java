package dev.weir.observe;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Measures the phases of searches and their reductions. Safe on any thread. */
public final class SearchMetrics {
  private static final List<String> PHASES =
      List.of("can_match", "query", "dfs_pre_query", "dfs_query", "reduce", "fetch", "expand");

  private final Map<String, Timer> phases = new ConcurrentHashMap<>();
  private final Timer otherPhases;
  private final Timer reductionWait;
  private final Timer reductionTime;

  SearchMetrics(MeterRegistry registry) {
    for (String phase : PHASES) {
      phases.put(phase, phase(registry, phase));
    }
    otherPhases = phase(registry, "other");
    reductionWait =
        Timer.builder("weir.reduction.wait")
            .description("For how long big reductions waited for a thread")
            .serviceLevelObjectives(RequestMetrics.buckets())
            .register(registry);
    reductionTime =
        Timer.builder("weir.reduction")
            .description("For how long big reductions ran on their threads")
            .serviceLevelObjectives(RequestMetrics.buckets())
            .register(registry);
  }

  private static Timer phase(MeterRegistry registry, String phase) {
    return Timer.builder("weir.search.phase")
        .description("How long the phases of coordinated searches took")
        .tag("phase", phase)
        .serviceLevelObjectives(RequestMetrics.buckets())
        .register(registry);
  }

  /** Records the end of a search phase such as {@code query}. */
  public void recordPhase(String phase, long nanos) {
    Timer timer = phases.get(phase);
    (timer == null ? otherPhases : timer).record(nanos, TimeUnit.NANOSECONDS);
  }

  /** The same executor with its tasks measured. */
  public Executor timeTasks(Executor pool) {
    return reduction -> {
      Timer.Sample handed = Timer.start();
      pool.execute(() -> {
        handed.stop(reductionWait);
        reductionTime.record(reduction);
      });
    };
  }
}
