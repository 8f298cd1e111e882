package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShardSamplerTest {
  private static List<String> shards(Map<String, Integer> sizes) {
    List<String> shards = new ArrayList<>();
    sizes.keySet().stream()
        .sorted()
        .forEach(index -> shards.addAll(Collections.nCopies(sizes.getOrDefault(index, 0), index)));
    return shards;
  }

  @Test
  void asksOfEachIndexAsLargeAPart() {
    assertThat(ShardSampler.allocate(new int[] {30}, 3, 2)).containsExactly(3);
    assertThat(ShardSampler.allocate(new int[] {30, 60}, 9, 2)).containsExactly(3, 6);
    assertThat(ShardSampler.allocate(new int[] {10, 10, 10}, 10, 2)).containsExactly(4, 3, 3);
  }

  @Test
  void asksAFewOfEachIndexAtLeast() {
    assertThat(ShardSampler.allocate(new int[] {100, 5, 1}, 10, 2)).containsExactly(9, 2, 1);
    assertThat(ShardSampler.allocate(new int[] {1, 1, 2, 4}, 1, 3)).containsExactly(1, 1, 2, 3);
    assertThat(ShardSampler.allocate(new int[] {5}, 5, 2)).containsExactly(5);
  }

  @Test
  void drawsTheSameShardsBySeed() {
    List<String> shards = shards(Map.of("a", 40));
    assertThat(ShardSampler.sample(shards, 7, 2, 5))
        .isEqualTo(ShardSampler.sample(shards, 7, 2, 5))
        .isSorted()
        .hasSize(7);
    assertThat(ShardSampler.sample(shards, 7, 2, 5))
        .isNotEqualTo(ShardSampler.sample(shards, 7, 2, 6));
  }

  @Test
  void ignoreOtherIndices() {
    List<Integer> alone = ShardSampler.sample(shards(Map.of("a", 20)), 4, 2, 9);
    List<Integer> together = ShardSampler.sample(shards(Map.of("a", 20, "b", 20)), 8, 2, 9);
    assertThat(together).startsWith(alone.toArray(Integer[]::new)).hasSize(8);
    assertThat(together.subList(4, 8).stream().map(place -> place - 20)).isNotEqualTo(alone);
  }

  @Test
  void drawEachShardEquallyOften() {
    int[] times = new int[30];
    int seeds = 10_000;
    List<String> shards = shards(Map.of("a", 30));
    for (int seed = 0; seed < seeds; seed++) {
      ShardSampler.sample(shards, 3, 2, seed).forEach(place -> times[place]++);
    }
    assertThat(times).hasSize(30);
    for (int count : times) {
      assertThat(count).isBetween(880, 1120); // 1000 expected, four standard deviations
    }
  }
}
