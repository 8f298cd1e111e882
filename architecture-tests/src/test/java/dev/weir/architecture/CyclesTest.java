package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** No cycle between packages, and no cycle between more than three classes. */
final class CyclesTest {
  private static final int MAX_CLASSES = 3;

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
    assertThat(classes.cycles().stream().filter(cycle -> cycle.size() > MAX_CLASSES)).isEmpty();
  }
}
