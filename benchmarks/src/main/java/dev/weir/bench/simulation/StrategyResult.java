package dev.weir.bench.simulation;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The results of one strategy in one scenario: means over all seeds.
 *
 * @param p50 in milliseconds, as the other quantiles
 * @param cheapRequestP99 of searches without a heavy request
 * @param hedgeRatio hedged requests relative to all sent, 0 to 1
 * @param cacheHitRatio cached responses, 0 to 1
 * @param windowShareOfNode0 node 0's share of first attempts in the scenario's window
 * @param recoverySeconds from the start of the window until node 0 got 80 % of its fair share
 * @param peakShareOfNode0 the largest share of node 0 in the window over 0.3 s
 */
record StrategyResult(
    double p50,
    double p90,
    double p99,
    double p999,
    double cheapRequestP99,
    double searchesPerSecond,
    double failedRatio,
    double hedgeRatio,
    double cacheHitRatio,
    double windowShareOfNode0,
    double recoverySeconds,
    double peakShareOfNode0) {

  static StrategyResult of(SimulationScenario scenario, List<RunMeasurements> outcomes) {
    SimulationScenario.Time time = scenario.time();
    double fair = 1.0 / scenario.cluster().nodes();
    return new StrategyResult(
        mean(outcomes, outcome -> outcome.allRequests.millis(0.5)),
        mean(outcomes, outcome -> outcome.allRequests.millis(0.9)),
        mean(outcomes, outcome -> outcome.allRequests.millis(0.99)),
        mean(outcomes, outcome -> outcome.allRequests.millis(0.999)),
        mean(outcomes, outcome -> outcome.cheapRequests.millis(0.99)),
        mean(outcomes, RunMeasurements::searchesPerSecond),
        mean(outcomes, RunMeasurements::failedRatio),
        mean(outcomes, RunMeasurements::hedgeRatio),
        mean(outcomes, RunMeasurements::cacheHitRatio),
        mean(outcomes, RunMeasurements::windowShareOfNode0),
        mean(outcomes, outcome -> outcome.recoverySeconds(time.windowFrom(), 0.8 * fair)),
        mean(outcomes, outcome -> outcome.peakShareOfNode0(time.windowFrom(), time.windowTo())));
  }

  private static double mean(List<RunMeasurements> outcomes, ToDoubleFunction<RunMeasurements> of) {
    return outcomes.stream().mapToDouble(of).average().orElse(Double.NaN);
  }
}
