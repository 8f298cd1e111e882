package dev.weir.bench.simulation;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one way did in one scenario: means over all seeds.
 *
 * @param p50 and the other quantiles in milliseconds
 * @param cheapP99 of searches without a heavy request
 * @param extra second requests over all sent, 0 to 1
 * @param hits answers from nodes' caches, 0 to 1
 * @param windowShare first attempts in the scenario's window that went to node 0
 * @param backSeconds after the window began until node 0 got 80 % of its fair share
 * @param peakShare the largest share that node 0 got in the window over 0.3 s
 */
record Measured(
    double p50,
    double p90,
    double p99,
    double p999,
    double cheapP99,
    double perSecond,
    double failed,
    double extra,
    double hits,
    double windowShare,
    double backSeconds,
    double peakShare) {

  static Measured of(Scenario scenario, List<Outcome> outcomes) {
    Scenario.Time time = scenario.time();
    double fair = 1.0 / scenario.cluster().nodes();
    return new Measured(
        mean(outcomes, outcome -> outcome.all.millis(0.5)),
        mean(outcomes, outcome -> outcome.all.millis(0.9)),
        mean(outcomes, outcome -> outcome.all.millis(0.99)),
        mean(outcomes, outcome -> outcome.all.millis(0.999)),
        mean(outcomes, outcome -> outcome.cheap.millis(0.99)),
        mean(outcomes, Outcome::perSecond),
        mean(outcomes, Outcome::failedShare),
        mean(outcomes, Outcome::extraShare),
        mean(outcomes, Outcome::hitShare),
        mean(outcomes, Outcome::windowShare),
        mean(outcomes, outcome -> outcome.secondsToShare(time.windowFrom(), 0.8 * fair)),
        mean(outcomes, outcome -> outcome.peakShare(time.windowFrom(), time.windowTo())));
  }

  private static double mean(List<Outcome> outcomes, ToDoubleFunction<Outcome> of) {
    return outcomes.stream().mapToDouble(of).average().orElse(Double.NaN);
  }
}
