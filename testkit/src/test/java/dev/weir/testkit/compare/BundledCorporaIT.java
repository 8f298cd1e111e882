package dev.weir.testkit.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A coordinating-only node answers as another one does: else a corpus compares what may differ. */
@Drawn(oneIn = 3)
class BundledCorporaIT {
  private static DataNode one;
  private static DataNode other;
  private static Map<String, CompletableFuture<ComparisonReport>> reports;

  @BeforeAll
  static void addNodesAndCompareThem() {
    one = SharedCluster.get().addNode(coordinator("one"));
    other = SharedCluster.get().addNode(coordinator("other"));
    reports =
        BundledCorpora.run(
            new EndpointComparer(
                one.httpUri(), other.httpUri(), TestSeed.random(BundledCorporaIT.class)),
            names());
  }

  /** Enough to see that the comparer compares what it should; the gateway's tests run them all. */
  static List<String> names() {
    return List.of("documents", "bulk", "search", "errors", "formats");
  }

  private static NodeSpec coordinator(String name) {
    return NodeSpec.of(name).asCoordinatingOnly().withHeap("256m");
  }

  @AfterAll
  static void removeNodes() {
    SharedCluster.get().removeNode(one);
    SharedCluster.get().removeNode(other);
  }

  @ParameterizedTest
  @MethodSource("names")
  void answerAlikeOnTwoNodesOfACluster(String corpus) {
    ComparisonReport report = Objects.requireNonNull(reports.get(corpus)).join();

    assertThat(report.findings()).as(report.toString()).isEmpty();
    assertThat(report.requests()).isGreaterThan(20);
  }
}
