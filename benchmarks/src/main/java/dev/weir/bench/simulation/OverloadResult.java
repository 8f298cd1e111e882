package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The results of one way to admit requests under overload: means over all seeds.
 *
 * @param goodput searches a second that succeeded within a second
 * @param p50 of the admitted searches, in milliseconds
 * @param inTimeRatio the fraction of all searches that succeeded within a second
 * @param cheapInTimeRatio the same of cheap ones
 */
record OverloadResult(
    double goodput,
    double p50,
    double p99,
    double inTimeRatio,
    double cheapInTimeRatio,
    double heavyInTimeRatio) {

  static OverloadResult run(SimulationScenario scenario, AdmissionStrategy strategy, int seeds) {
    List<RunMeasurements> runs = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      runs.add(new Simulation(scenario, seed, strategy).run());
    }
    return new OverloadResult(
        mean(runs, RunMeasurements::goodput),
        mean(runs, run -> run.allRequests.millis(0.5)),
        mean(runs, run -> run.allRequests.millis(0.99)),
        mean(runs, RunMeasurements::inTimeRatio),
        mean(runs, run -> run.inTimeRatio(0)),
        mean(runs, run -> run.inTimeRatio(1)));
  }

  private static double mean(List<RunMeasurements> runs, ToDoubleFunction<RunMeasurements> of) {
    return runs.stream().mapToDouble(of).average().orElse(Double.NaN);
  }
}
