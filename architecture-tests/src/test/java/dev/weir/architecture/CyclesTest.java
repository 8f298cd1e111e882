package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** No cycle between packages, and no cycle between more than three classes. */
final class CyclesTest {
  private static final int MAX_CLASSES = 3;

  /** One class of each larger cycle that is still to be untangled. */
  private static final Set<String> LARGE_CYCLES = Set.of("dev.weir.bench.simulation.Simulation");

  @Test
  void findNoCycleBetweenPackages() {
    DependencyGraph packages = new DependencyGraph();
    WeirClasses.forEachUse((from, to) -> packages.add(from.getPackageName(), to.getPackageName()));
    assertThat(packages.cycles()).isEmpty();
  }

  @Test
  void findNoCycleBetweenMoreThanThreeClasses() {
    DependencyGraph classes = new DependencyGraph();
    WeirClasses.forEachUse((from, to) -> classes.add(from.getName(), to.getName()));
    Set<String> large = new TreeSet<>();
    StringBuilder cycles = new StringBuilder("cycles of classes:");
    for (Set<String> cycle : classes.cycles()) {
      if (cycle.size() > MAX_CLASSES) {
        large.add(knownClassOf(cycle));
        cycles.append("\n  ").append(cycle);
      }
    }
    new KnownViolations(LARGE_CYCLES.toArray(String[]::new)).check(cycles.toString(), large);
  }

  private static String knownClassOf(Set<String> cycle) {
    return cycle.stream().filter(LARGE_CYCLES::contains).findFirst().orElse(Collections.min(cycle));
  }
}
