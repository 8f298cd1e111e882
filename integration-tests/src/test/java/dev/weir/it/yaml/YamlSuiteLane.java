package dev.weir.it.yaml;

import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cluster of one node with a gateway in front of it, on which tests of the suite run one after
 * another; each empties the cluster. Several lanes share a queue of tests. Used by one thread at a
 * time.
 */
final class YamlSuiteLane implements AutoCloseable {
  private static final String VERSION = "3.8.0";

  private static final Pattern REQUESTS =
      Pattern.compile("weir_requests_total\\{action=\"(\\w+)\",path=\"(\\w+)\".*} (\\S+)");

  private final DataNodeCluster nodes;
  private final TestBed bed;
  private final YamlRestClient throughGateway;
  private final YamlRestClient straight;
  private final YamlRunner candidate;
  private final YamlRunner reference;

  /** The results of a lane's tests: how many passed, and the differences from a node. */
  record Result(int passed, List<String> differences) {}

  /** Requests that the gateway could coordinate, and how many of them it did coordinate. */
  record RequestCounts(double coordinated, double all) {}

  YamlSuiteLane(String clusterName, Map<String, ApiSpec> apis) {
    nodes = DataNodeCluster.start(cluster(clusterName));
    bed = TestBed.inFrontOf(nodes.seeds());
    throughGateway = new YamlRestClient(bed.uri());
    straight = new YamlRestClient(nodes.node(0).httpUri());
    candidate = new YamlRunner(throughGateway, apis, VERSION);
    reference = new YamlRunner(straight, apis, VERSION);
  }

  /** One node, with the attribute that nodes of the suite's own tests have. */
  private static ClusterSpec cluster(String name) {
    return ClusterSpec.ofNodes(1)
        .withName(name)
        .mapNodes(node -> node.withoutPlugins().withSetting("node.attr.testattr", "test"));
  }

  /** Takes tests from the queue and runs them, until it is empty. */
  Result run(Queue<YamlTestCase> tests) {
    List<String> differences = new ArrayList<>();
    int passed = 0;
    for (YamlTestCase test = tests.poll(); test != null; test = tests.poll()) {
      switch (candidate.run(test)) {
        case YamlRunner.Passed() -> passed++;
        case YamlRunner.Skipped(String why) -> {
          if (why.isEmpty()) {
            differences.add(test.title() + ": skipped without a reason");
          }
        }
        case YamlRunner.Failed failed -> {
          if (reference.run(test) instanceof YamlRunner.Passed) {
            differences.add(test.title() + ": " + failed.step() + ": " + failed.reason());
          }
        }
      }
    }
    return new Result(passed, differences);
  }

  /** Returns the gateway's counts of these actions. */
  RequestCounts count(Set<String> actions) {
    double coordinated = 0;
    double all = 0;
    Matcher line = REQUESTS.matcher(bed.admin().send("GET", "/metrics").orThrow().body());
    while (line.find()) {
      if (actions.contains(line.group(1))) {
        double count = Double.parseDouble(line.group(3));
        all += count;
        coordinated += line.group(2).equals("coordinated") ? count : 0;
      }
    }
    return new RequestCounts(coordinated, all);
  }

  @Override
  public void close() {
    straight.close();
    throughGateway.close();
    try {
      bed.close();
    } finally {
      nodes.close();
    }
  }
}
