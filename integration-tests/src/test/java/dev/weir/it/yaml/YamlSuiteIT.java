package dev.weir.it.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * OpenSearch's own REST suite through the gateway: what passes on a plain node passes through it,
 * and passing through is no way around the work.
 *
 * <p>Of the tests of what the gateway hands to nodes as it is, close to half of all, each run takes
 * every third, beginning anywhere; all of them with {@code -Dweir.suite=all}.
 */
class YamlSuiteIT {
  private static final String VERSION = "3.8.0";
  private static final Set<String> OURS =
      Set.of(
          "search",
          "msearch",
          "scroll",
          "count",
          "bulk",
          "index",
          "create",
          "get",
          "get_source",
          "delete",
          "update",
          "mget",
          "exists",
          "exists_source",
          "clear_scroll",
          "create_pit",
          "delete_pit");

  /**
   * Not run, for the time that they take: the one waits half a minute for a second copy, which one
   * node can't have; the other has patterns that look for their match for as long.
   */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "indices.stats/50_noop_update.yml > Test noop_update_total metric can be updated by both"
              + " update API and bulk API",
          "cat.nodeattrs/10_basic.yml > Test cat nodes attrs output");

  private static final boolean ALL = "all".equals(System.getProperty("weir.suite"));
  private static final int EVERY = 3;

  private static final Pattern COUNTED =
      Pattern.compile("weir_requests_total\\{action=\"(\\w+)\",path=\"(\\w+)\".*} (\\S+)");

  @Test
  void whatPassesOnANodePassesThroughTheGateway() throws IOException {
    YamlSuite suite = YamlSuite.load();
    List<String> differences = new ArrayList<>();
    int passed = 0;
    try (DataNodeCluster nodes = DataNodeCluster.start(cluster());
        TestBed bed = TestBed.inFrontOf(nodes.seeds());
        YamlRestClient throughGateway = new YamlRestClient(bed.uri());
        YamlRestClient straight = new YamlRestClient(nodes.node(0).httpUri())) {
      YamlRunner candidate = new YamlRunner(throughGateway, suite.apis(), VERSION);
      YamlRunner reference = new YamlRunner(straight, suite.apis(), VERSION);
      int others = TestSeed.random(YamlSuiteIT.class).nextInt(EVERY);
      System.out.println("suite: " + (ALL ? "all" : "every third of the others, from " + others));
      for (YamlTestCase test : suite.tests()) {
        boolean runs = ALL || isOurs(test.title()) || ++others % EVERY == 0;
        if (!runs || LEFT_OUT.contains(test.title())) {
          continue;
        }
        switch (candidate.run(test)) {
          case YamlRunner.Passed() -> passed++;
          case YamlRunner.Skipped(String why) -> assertThat(why).isNotEmpty();
          case YamlRunner.Failed failed -> {
            if (reference.run(test) instanceof YamlRunner.Passed) {
              differences.add(test.title() + ": " + failed.step() + ": " + failed.reason());
            }
          }
        }
      }
      System.out.println("suite: " + passed + " passed, " + differences.size() + " differ");
      assertThat(differences).isEmpty();
      assertThat(passed).isGreaterThan(ALL ? 1300 : 800);
      assertThat(coordinatedShare(bed.admin().send("GET", "/metrics").body())).isGreaterThan(0.95);
    }
  }

  /** Whether a test is about what the gateway coordinates, by the folder that it lies in. */
  private static boolean isOurs(String title) {
    String folder = title.substring(0, title.indexOf('/'));
    int dot = folder.indexOf('.');
    String api = dot < 0 ? folder : folder.substring(0, dot);
    return OURS.contains(api) || api.equals("pit");
  }

  /** One node, with the attribute that nodes of the suite's own tests have. */
  private static ClusterSpec cluster() {
    return ClusterSpec.ofNodes(1)
        .withName("weir-yaml")
        .mapNodes(node -> node.withoutPlugins().withSetting("node.attr.testattr", "test"));
  }

  /**
   * The share of the requests of the kinds that the gateway coordinates which it did coordinate.
   */
  private static double coordinatedShare(String metrics) {
    double coordinated = 0;
    double all = 0;
    Matcher line = COUNTED.matcher(metrics);
    while (line.find()) {
      if (OURS.contains(line.group(1))) {
        double count = Double.parseDouble(line.group(3));
        all += count;
        coordinated += line.group(2).equals("coordinated") ? count : 0;
      }
    }
    System.out.printf("suite: %.0f of %.0f requests coordinated%n", coordinated, all);
    return coordinated / all;
  }
}
