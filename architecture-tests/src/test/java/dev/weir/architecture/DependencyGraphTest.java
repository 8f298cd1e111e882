package dev.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class DependencyGraphTest {
  private final DependencyGraph graph = new DependencyGraph();

  @Test
  void findNoCycleInATree() {
    graph.add("a", "b");
    graph.add("a", "c");
    graph.add("b", "c");
    graph.add("c", "c");
    assertThat(graph.cycles()).isEmpty();
  }

  @Test
  void findCyclesThatShareNoName() {
    graph.add("a", "b");
    graph.add("b", "a");
    graph.add("b", "c");
    graph.add("c", "d");
    graph.add("d", "e");
    graph.add("e", "c");
    graph.add("e", "f");
    assertThat(graph.cycles()).containsExactly(Set.of("c", "d", "e"), Set.of("a", "b"));
  }

  @Test
  void joinCyclesThatShareAName() {
    graph.add("a", "b");
    graph.add("b", "a");
    graph.add("b", "c");
    graph.add("c", "b");
    assertThat(graph.cycles()).containsExactly(Set.of("a", "b", "c"));
  }
}
