package dev.weir.it.containers;

import static dev.weir.it.RequestMetrics.searches;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.compare.BundledCorpora;
import dev.weir.testkit.compare.ComparisonReport;
import dev.weir.testkit.compare.EndpointComparer;
import dev.weir.testkit.junit.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The gateway responds like a node of an image, except for what is known to differ in front of the
 * image's version.
 */
class ImageEquivalenceIT {
  private static final int MIN_REQUESTS = 3_000;
  private static final int MIN_COORDINATED_SEARCHES = 1_000;

  @ParameterizedTest
  @MethodSource("dev.weir.it.containers.NodeImage#all")
  void answersAsANodeDoes(NodeImage image) {
    image.pullOrSkip(ContainerEngine.clientOrSkip());
    Random random = TestSeed.random(ImageEquivalenceIT.class);
    try (ContainerCluster nodes = ContainerCluster.start(image, random);
        TestBed bed = TestBed.startWithConfig(config(nodes.seeds()))) {
      KnownDifferences known = KnownDifferences.ofVersion(nodes.version());
      Map<String, CompletableFuture<ComparisonReport>> reports =
          BundledCorpora.run(
              new EndpointComparer(nodes.coordinatorUri(), bed.uri(), random), known.corpora());
      List<ComparisonReport.Finding> findings = new ArrayList<>();
      int requests = 0;
      int expected = 0;
      for (CompletableFuture<ComparisonReport> each : reports.values()) {
        ComparisonReport report = each.join();
        requests += report.requests();
        for (ComparisonReport.Finding finding : report.findings()) {
          if (known.explain(finding)) {
            expected++;
          } else {
            findings.add(finding);
          }
        }
      }
      System.out.println(
          image
              + " with OpenSearch "
              + nodes.version()
              + ": "
              + requests
              + " requests, "
              + expected
              + " responses differ as documented, "
              + findings.size()
              + " otherwise");
      assertThat(findings)
          .as(findings.stream().map(each -> each + "\n").collect(Collectors.joining()))
          .isEmpty();
      assertThat(requests).isGreaterThan(MIN_REQUESTS);
      assertThat(searches(bed, "path=\"coordinated\"")).isGreaterThan(MIN_COORDINATED_SEARCHES);
      bed.assertNothingHeld();
    }
  }

  /**
   * With a mode that says that nobody checks clients: the images have the security plugin, disabled
   * here, and in front of nodes with this plugin the gateway otherwise passes every request
   * through.
   */
  private static String config(List<String> seeds) {
    return """
    clusters:
      main:
        seeds: [%s]
        authorization: none
    http:
      listen: 127.0.0.1:0
      compression: {min-body-bytes: 0b}
    admin:
      listen: 127.0.0.1:0
    """
        .formatted(seeds.stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", ")));
  }
}
