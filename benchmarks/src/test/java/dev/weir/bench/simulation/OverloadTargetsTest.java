package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.simulation.SimulationScenario.Time;
import dev.weir.testkit.junit.Drawn;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What admission has to achieve under overload, in virtual time. */
final class OverloadTargetsTest {
  @Test
  @Drawn(oneIn = 4)
  void meetTheTargetsOfAdmission() {
    Map<SimulationScenario, Map<AdmissionStrategy, OverloadResult>> results = new LinkedHashMap<>();
    for (SimulationScenario scenario : OverloadScenarios.all()) {
      SimulationScenario brief = scenario.time(Time.of(10, 10));
      Map<AdmissionStrategy, OverloadResult> byStrategy = new EnumMap<>(AdmissionStrategy.class);
      for (AdmissionStrategy strategy :
          new AdmissionStrategy[] {
            AdmissionStrategy.NODE_QUEUE,
            AdmissionStrategy.VEGAS_BY_NODE,
            AdmissionStrategy.GRADIENT2_BY_NODE,
            AdmissionStrategy.DEFAULT
          }) {
        byStrategy.put(strategy, OverloadResult.run(brief, strategy, 1));
      }
      results.put(brief, byStrategy);
    }
    assertThat(OverloadTargets.check(results))
        .hasSizeGreaterThan(8)
        .allSatisfy(verdict -> assertThat(verdict.isMet()).as(verdict.format()).isTrue());
  }

  @Test
  void collapseWithTheQueuesOfTheNodesAlone() {
    SimulationScenario scenario = OverloadScenarios.all().get(2).time(Time.of(5, 3));
    OverloadResult stock = OverloadResult.run(scenario, AdmissionStrategy.NODE_QUEUE, 1);
    assertThat(stock.goodput()).isLessThan(0.2 * OverloadScenarios.capacity(scenario));
  }
}
