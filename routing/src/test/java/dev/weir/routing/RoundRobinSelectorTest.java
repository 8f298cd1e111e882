package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RoundRobinSelectorTest {
  private final RoundRobinSelector selector = new RoundRobinSelector(new Random(1));

  @Test
  void takesTurnsOfAShardApartFromOtherShards() {
    List<ShardCopy> one = SelectorFixture.copies("a", "b", "c");
    List<ShardCopy> two = SelectorFixture.copies("d", "e", "f");
    Map<String, Integer> firsts = new HashMap<>();
    for (int i = 0; i < 30; i++) {
      for (List<ShardCopy> shard : List.of(one, two)) {
        firsts.merge(selector.order(shard, Phase.QUERY).getFirst().nodeId(), 1, Integer::sum);
      }
    }
    assertThat(firsts).hasSize(6).allSatisfy((node, count) -> assertThat(count).isEqualTo(10));
  }

  @Test
  void initializingCopiesAreLast() {
    ShardCopy starting = new ShardCopy("x", "x", false, true, Map.of());
    for (int i = 0; i < 5; i++) {
      assertThat(
              selector.order(List.of(starting, SelectorFixture.copy("a")), Phase.QUERY).getLast())
          .isEqualTo(starting);
    }
  }
}
