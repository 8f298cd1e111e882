package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.ShardCopy;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CacheAffinityTest {
  @Test
  void keepTheCachingCopyUntilItsNodeLeaves() {
    Random random = new Random(1);
    ShardCopy[] copies = {copy("a"), copy("b"), copy("c")};
    ShardCopy[] turned = {copy("c"), copy("a"), copy("b")};
    Map<String, Integer> homes = new HashMap<>();
    for (int i = 0; i < 3000; i++) {
      long key = random.nextLong();
      String home = copies[CacheAffinity.preferredCopy(copies, 3, key)].nodeId();
      assertThat(turned[CacheAffinity.preferredCopy(turned, 3, key)].nodeId()).isEqualTo(home);
      if (!home.equals("c")) {
        assertThat(copies[CacheAffinity.preferredCopy(copies, 2, key)].nodeId()).isEqualTo(home);
      }
      homes.merge(home, 1, Integer::sum);
    }
    assertThat(homes.values()).allSatisfy(count -> assertThat(count).isBetween(800, 1200));
    assertThat(CacheAffinity.preferredCopy(copies, 0, 1)).isNegative();
  }

  @Test
  void preferTheCachingCopyUnlessItIsMuchWorse() {
    ShardCopy[] ordered = {copy("a"), copy("b"), copy("c")};
    CacheAffinity.prefer(ordered, 2, 3, 1, 2);
    assertThat(ordered).extracting(ShardCopy::nodeId).containsExactly("a", "b", "c");
    CacheAffinity.prefer(ordered, 2, 2, 1, 2);
    assertThat(ordered).extracting(ShardCopy::nodeId).containsExactly("c", "a", "b");
  }

  private static ShardCopy copy(String node) {
    return new ShardCopy(node, node, false, false, Map.of());
  }
}
