package dev.weir.it.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.junit.TestSuite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * OpenSearch's own REST suite through the gateway: what passes on a plain node passes through it,
 * and passing through is no way around the work.
 *
 * <p>Each run takes every third of the tests of what the gateway coordinates, and every
 * thirty-second of what it hands to nodes as it is, close to half of all, beginning anywhere; all
 * of them with {@code -Dweir.suite=all}.
 */
class YamlSuiteIT {
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
   * Skipped because they take long: the first waits half a minute for a replica that one node
   * cannot have; the second matches slow patterns for as long.
   */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "indices.stats/50_noop_update.yml > Test noop_update_total metric can be updated by both"
              + " update API and bulk API",
          "cat.nodeattrs/10_basic.yml > Test cat nodes attrs output");

  private static final int EVERY_COORDINATED = 3;
  private static final int EVERY_OTHER = 32;

  /** A lane waits for its node half of the time, so two lanes use two processors. */
  private static final int LANES = 2;

  @Test
  void passThroughGatewayWhatPassesOnNode() throws IOException {
    YamlSuite suite = YamlSuite.load();
    Queue<YamlTestCase> tests = new ConcurrentLinkedQueue<>(selected(suite));
    List<YamlSuiteLane> lanes = new ArrayList<>();
    try {
      for (int i = 1; i <= LANES; i++) {
        lanes.add(new YamlSuiteLane("weir-yaml-" + i, suite.apis()));
      }
      int passed = 0;
      List<String> differences = new ArrayList<>();
      for (YamlSuiteLane.Result result : run(lanes, tests)) {
        passed += result.passed();
        differences.addAll(result.differences());
      }
      System.out.println("suite: " + passed + " passed, " + differences.size() + " differ");
      assertThat(differences).isEmpty();
      assertThat(passed).isGreaterThan(TestSuite.IS_WHOLE ? 1300 : 260);
      assertThat(coordinatedShare(lanes)).isGreaterThan(0.95);
    } finally {
      lanes.forEach(YamlSuiteLane::close);
    }
  }

  /** Runs all tests, each on the first free lane. If a lane fails, the others end too. */
  private static List<YamlSuiteLane.Result> run(
      List<YamlSuiteLane> lanes, Queue<YamlTestCase> tests) {
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes.size())) {
      List<CompletableFuture<YamlSuiteLane.Result>> results =
          lanes.stream()
              .map(lane ->
                  CompletableFuture.supplyAsync(() -> lane.run(tests), threads)
                      .whenComplete((result, failure) -> tests.clear()))
              .toList();
      return results.stream().map(CompletableFuture::join).toList();
    }
  }

  private static List<YamlTestCase> selected(YamlSuite suite) {
    Random random = TestSeed.random(YamlSuiteIT.class);
    int ours = random.nextInt(EVERY_COORDINATED);
    int others = random.nextInt(EVERY_OTHER);
    System.out.println(
        "suite: "
            + (TestSuite.IS_WHOLE
                ? "all"
                : "every third of those that are coordinated, from %d, every thirty-second of the others, from %d"
                    .formatted(ours, others)));
    List<YamlTestCase> selected = new ArrayList<>();
    for (YamlTestCase test : suite.tests()) {
      boolean drawn =
          isOurs(test.title()) ? ++ours % EVERY_COORDINATED == 0 : ++others % EVERY_OTHER == 0;
      if ((TestSuite.IS_WHOLE || drawn) && !LEFT_OUT.contains(test.title())) {
        selected.add(test);
      }
    }
    return selected;
  }

  /** Returns whether a test covers actions that the gateway coordinates, by its folder. */
  private static boolean isOurs(String title) {
    String folder = title.substring(0, title.indexOf('/'));
    int dot = folder.indexOf('.');
    String api = dot < 0 ? folder : folder.substring(0, dot);
    return OURS.contains(api) || api.equals("pit");
  }

  /** Returns the fraction of coordinated requests among those that the gateway could coordinate. */
  private static double coordinatedShare(List<YamlSuiteLane> lanes) {
    List<YamlSuiteLane.RequestCounts> counts =
        lanes.stream().map(lane -> lane.count(OURS)).toList();
    double coordinated =
        counts.stream().mapToDouble(YamlSuiteLane.RequestCounts::coordinated).sum();
    double all = counts.stream().mapToDouble(YamlSuiteLane.RequestCounts::all).sum();
    System.out.printf("suite: %.0f of %.0f requests coordinated%n", coordinated, all);
    return coordinated / all;
  }
}
