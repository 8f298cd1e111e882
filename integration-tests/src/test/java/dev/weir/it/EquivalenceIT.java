package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.compare.BundledCorpora;
import dev.weir.testkit.compare.ComparisonReport;
import dev.weir.testkit.compare.EndpointComparer;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.junit.TestSuite;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The gateway responds like a node: status, relevant headers, body.
 *
 * <p>The reference is a coordinating-only node, because a data node treats its own shards
 * differently. It is a stock node, whatever the others have.
 *
 * <p>A run compares half of the corpora, drawn; all of them with {@code -Dweir.suite=all}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EquivalenceIT {
  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());
  private final DataNode coordinator =
      nodes.addNode(NodeSpec.of("coordinator").asCoordinatingOnly().withoutPlugins());
  private final Map<String, CompletableFuture<ComparisonReport>> reports =
      BundledCorpora.run(
          new EndpointComparer(
              coordinator.httpUri(), bed.uri(), TestSeed.random(EquivalenceIT.class)),
          corpora());

  private static List<String> corpora() {
    List<String> names = new ArrayList<>(BundledCorpora.names());
    if (TestSuite.IS_WHOLE) {
      return names;
    }
    Collections.shuffle(names, TestSeed.random(EquivalenceIT.class));
    return names.subList(0, names.size() / 2);
  }

  @AfterAll
  void close() {
    bed.close();
    nodes.removeNode(coordinator);
  }

  @ParameterizedTest
  @MethodSource("corpora")
  void answersAsANodeDoes(String corpus) {
    ComparisonReport report = Objects.requireNonNull(reports.get(corpus)).join();

    report
        .flakyFindings()
        .forEach(each -> System.out.println("a node itself answers in two ways: " + each));
    assertThat(report.findings()).as(report.toString()).isEmpty();
    assertThat(report.requests()).isGreaterThan(20);
    bed.assertNothingHeld();
  }
}
