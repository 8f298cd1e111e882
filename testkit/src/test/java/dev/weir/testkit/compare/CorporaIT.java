package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.SharedCluster;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A coordinating-only node answers as another one does: else a corpus compares what may differ. */
class CorporaIT {
  private static DataNode one;
  private static DataNode other;
  private static Map<String, CompletableFuture<Report>> reports;

  @BeforeAll
  static void addNodesAndCompareThem() {
    one = SharedCluster.get().add(coordinator("one"));
    other = SharedCluster.get().add(coordinator("other"));
    reports = Corpora.run(new Comparer(one.http(), other.http(), new Random()), names());
  }

  /** Enough to see that the comparer compares what it should; the gateway's tests run them all. */
  static List<String> names() {
    return List.of("documents", "bulk", "search", "errors", "formats");
  }

  private static NodeSpec coordinator(String name) {
    return NodeSpec.named(name).coordinatingOnly().withHeap("256m");
  }

  @AfterAll
  static void removeNodes() {
    SharedCluster.get().remove(one);
    SharedCluster.get().remove(other);
  }

  @ParameterizedTest
  @MethodSource("names")
  void twoNodesOfAClusterAnswerTheSame(String corpus) {
    Report report = Objects.requireNonNull(reports.get(corpus)).join();

    assertThat(report.findings()).as(report.toString()).isEmpty();
    assertThat(report.requests()).isGreaterThan(20);
  }
}
