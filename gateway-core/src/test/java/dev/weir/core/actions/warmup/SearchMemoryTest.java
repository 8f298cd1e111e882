package dev.weir.core.actions.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.index.Index;

/** The bounds of what is remembered. */
class SearchMemoryTest {
  private static final Index INDEX = new Index("i", "uuid-i");

  private final SearchMemory memory = new SearchMemory(1 << 20);

  static RememberedSearch search(String source) {
    return search(source, "");
  }

  private static RememberedSearch search(String source, String aliasFilter) {
    return new RememberedSearch(
        new BytesArray(source), null, true, new BytesArray(aliasFilter), 1, List.of());
  }

  @Test
  void keepTheNewestShapes() {
    for (int shape = 0; shape < 100; shape++) {
      memory.add(INDEX, shape, search("s" + shape), 10);
      memory.add(INDEX, 0, search("s0"), 10); // seen all the time
    }
    assertThat(memory.size()).isEqualTo(10);
    assertThat(memory.searchesOf(INDEX))
        .startsWith(search("s0"), search("s99"), search("s98"))
        .endsWith(search("s91"));
  }

  @Test
  void keepTheNewestExamplesOfAShapeOnce() {
    for (int i = 0; i < 20; i++) {
      memory.add(INDEX, 7, search("example " + i / 2), 10);
    }
    assertThat(memory.searchesOf(INDEX))
        .containsExactly(
            search("example 9"), search("example 8"), search("example 7"), search("example 6"));
  }

  @Test
  void stayWithinTheBounds() {
    Random random = TestSeed.random(SearchMemoryTest.class);
    SearchMemory small = new SearchMemory(20_000);
    for (int i = 0; i < 5000; i++) {
      Index index = new Index("i" + random.nextInt(30), "uuid");
      RememberedSearch added =
          search("x".repeat(random.nextInt(2000)) + i, "x".repeat(random.nextInt(2000)));
      assertThat(added.heapBytes())
          .isGreaterThan(added.source().length() + added.aliasFilter().length());
      small.add(index, random.nextInt(50), added, 8);
      assertThat(small.bytes()).isBetween((long) added.heapBytes(), 20_000L);
      assertThat(small.searchesOf(index)).contains(added);
      if (random.nextInt(10) == 0) {
        small.forget(List.of(index));
        assertThat(small.searchesOf(index)).isEmpty();
      }
    }
    small.forget(small.indices());
    assertThat(small.bytes()).isZero();
    assertThat(small.size()).isZero();
  }

  @Test
  void rememberNothingThatIsTooLarge() {
    SearchMemory small = new SearchMemory(1000);
    small.add(INDEX, 1, search("small"), 8);
    small.add(INDEX, 2, search("x".repeat(1000)), 8);
    small.add(INDEX, 3, search("small", "x".repeat(1000)), 8);
    assertThat(small.searchesOf(INDEX)).containsExactly(search("small"));
  }

  @Test
  void boundTheNumberOfIndices() {
    for (int i = 0; i < SearchMemory.MAX_INDICES + 50; i++) {
      memory.add(new Index("i" + i, "uuid"), 1, search("s"), 8);
    }
    assertThat(memory.indices())
        .hasSize(SearchMemory.MAX_INDICES)
        .doesNotContain(new Index("i49", "uuid"))
        .contains(new Index("i50", "uuid"));
  }
}
