package dev.weir.advice.snapshot;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The copies of shards of a cluster, which may have 100,000. They are grouped once, so that a check
 * does not search all of them for each index or node. Immutable.
 */
public final class ShardCopies {
  private final List<ShardFacts> all;
  private final Map<String, List<ShardFacts>> byIndex;
  private final Map<String, List<ShardFacts>> byNode;

  /** Groups copies; their order remains. */
  public ShardCopies(List<ShardFacts> copies) {
    all = List.copyOf(copies);
    byIndex =
        all.stream()
            .collect(Collectors.groupingBy(ShardFacts::index, Collectors.toUnmodifiableList()));
    byNode =
        all.stream()
            .filter(ShardFacts::assigned)
            .collect(Collectors.groupingBy(ShardFacts::node, Collectors.toUnmodifiableList()));
  }

  /** Returns all copies. */
  List<ShardFacts> all() {
    return all;
  }

  /** Returns the copies of an index, also those on no node. */
  List<ShardFacts> ofIndex(String index) {
    return byIndex.getOrDefault(index, List.of());
  }

  /** Returns the copies that a node serves. */
  List<ShardFacts> ofNode(String node) {
    return byNode.getOrDefault(node, List.of());
  }
}
