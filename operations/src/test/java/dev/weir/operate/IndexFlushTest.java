package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class IndexFlushTest {
  @Test
  void keepEachCallBelowTheLengthOfARequestLine() {
    List<String> names = Collections.nCopies(40, "\u00e4".repeat(100));
    List<List<String>> calls = IndexFlush.split(names);
    assertThat(calls)
        .allSatisfy(call -> assertThat(String.join(",", call).length()).isLessThan(3000));
    assertThat(calls.stream().mapToInt(List::size).sum()).isEqualTo(40);
  }

  @Test
  void flushUpToFiftyTogether() {
    List<List<String>> calls = IndexFlush.split(Collections.nCopies(120, "logs"));
    assertThat(calls.stream().map(List::size)).containsExactly(50, 50, 20);
    assertThat(IndexFlush.split(List.of())).isEmpty();
    assertThat(IndexFlush.split(List.of("i".repeat(4000)))).hasSize(1);
  }

  @Test
  void flushOneByOneWhatCanNotBeFlushedTogether() throws Exception {
    try (FakeOperatedCluster cluster = new FakeOperatedCluster()) {
      cluster.flushesOneByOne = true;
      assertThat(new IndexFlush(cluster.api()).run(List.of("x", "y"))).isEmpty();
    }
  }
}
