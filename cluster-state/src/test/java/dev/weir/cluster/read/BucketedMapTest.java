package dev.weir.cluster.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.junit.TestSeed;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BucketedMapTest {
  private final Random random = TestSeed.random(BucketedMapTest.class);

  @Test
  void holdTheEntriesOfAHashMapThroughChanges() {
    Map<String, Integer> expected = new HashMap<>();
    BucketedMap<Integer> map = BucketedMap.empty();
    for (int step = 0; step < 300; step++) {
      int keys = step % 50 == 0 ? 2000 : random.nextInt(4);
      Map<String, Integer> changed = new HashMap<>();
      for (int i = 0; i < keys; i++) {
        changed.put("key-" + random.nextInt(3000), random.nextInt());
      }
      Set<String> removed = new HashSet<>();
      for (String key : expected.keySet()) {
        if (random.nextInt(step % 70 == 0 ? 2 : 500) == 0 && !changed.containsKey(key)) {
          removed.add(key);
        }
      }
      BucketedMap<Integer> before = map;
      Map<String, Integer> expectedBefore = Map.copyOf(expected);
      map = map.with(changed, removed);
      removed.forEach(expected::remove);
      expected.putAll(changed);

      assertThat(map).isEqualTo(expected).hasSameSizeAs(expected);
      assertThat(before).isEqualTo(expectedBefore);
      assertThat(map.keysChangedSince(before)).containsAll(changed.keySet()).containsAll(removed);
    }
  }

  @Test
  void shareUnchangedEntries() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      many.put("key-" + i, i);
    }
    BucketedMap<Integer> map = BucketedMap.copyOf(many);
    BucketedMap<Integer> changed = map.with(Map.of("key-7", -7), Set.of("missing"));

    assertThat(changed.keysChangedSince(map)).contains("key-7").hasSizeLessThan(200);
    assertThat(changed.get("key-7")).isEqualTo(-7);
    assertThat(map.get("key-7")).isEqualTo(7);
    assertThat(changed).hasSize(10_000);
  }

  @Test
  void returnItselfWithoutChanges() {
    BucketedMap<Integer> map = BucketedMap.copyOf(Map.of("a", 1));

    assertThat(map.with(Map.of(), Set.of())).isSameAs(map);
    assertThat(map.keysChangedSince(map)).isEmpty();
  }

  @Test
  void neverChange() {
    BucketedMap<Integer> map = BucketedMap.copyOf(Map.of("a", 1));

    assertThatThrownBy(() -> map.put("b", 2)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> map.remove("a")).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> BucketedMap.empty().entrySet().iterator().next())
        .isInstanceOf(NoSuchElementException.class);
    assertThat(map.get(null)).isNull();
    assertThat(map).containsOnly(Map.entry("a", 1));
  }
}
