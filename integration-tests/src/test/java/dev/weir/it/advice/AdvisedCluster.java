package dev.weir.it.advice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.advice.Advice;
import dev.weir.advice.Advisor;
import dev.weir.advice.CommandFormatter;
import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.MendStep;
import dev.weir.advice.snapshot.SnapshotReader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A cluster of its own behind a gateway, of which advice is asked as a user would. */
final class AdvisedCluster implements AutoCloseable {
  private static final String DISK = "cluster.routing.allocation.disk.";

  private final DataNodeCluster nodes;
  private final TestBed gateway;

  AdvisedCluster(ClusterSpec spec) {
    this.nodes = DataNodeCluster.start(spec);
    this.gateway = TestBed.inFrontOf(nodes.seeds());
  }

  /** Three nodes in three zones, set up as the practices say, whatever the machine's disk has. */
  static ClusterSpec threeNodes() {
    return ClusterSpec.ofNodes(3, PluginPlacement.ALL)
        .withName("weir-advised")
        .mapNodes(AdvisedCluster::configure);
  }

  static NodeSpec configure(NodeSpec node) {
    return node.withSlowFaultDetection()
        .withSetting("node.attr.zone", "zone-" + node.name())
        .withSetting("cluster.routing.allocation.awareness.attributes", "zone")
        .withSetting(DISK + "threshold_enabled", "true")
        .withSetting(DISK + "watermark.low", "30mb")
        .withSetting(DISK + "watermark.high", "20mb")
        .withSetting(DISK + "watermark.flood_stage", "10mb")
        // otherwise the nodes themselves lift a planted block within half a minute
        .withSetting("cluster.info.update.interval", "1h");
  }

  DataNodeCluster nodes() {
    return nodes;
  }

  RestClient rest() {
    return nodes.rest();
  }

  TestBed gateway() {
    return gateway;
  }

  /** Creates an index with documents. */
  void createIndex(String name, String settings, int documents) {
    rest()
        .send(
            "PUT", "/" + name + "?wait_for_active_shards=all", "{\"settings\":{" + settings + "}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < documents; i++) {
      lines.append("{\"index\":{\"_id\":\"%d\"}}\n{\"n\":%d}\n".formatted(i, i));
    }
    rest()
        .bulk("/" + name + "/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
    nodes.awaitGreen();
  }

  Advice advice() {
    return advice(gateway);
  }

  /** Reads the cluster through a gateway, and runs all checks. */
  Advice advice(TestBed through) {
    try (RestConnections connections = new RestConnections()) {
      RestTarget cluster = new RestTarget(connections, through.uri(), Map.of());
      RestTarget admin = new RestTarget(connections, through.admin().base(), Map.of());
      return Advisor.ofAllChecks().advise(new SnapshotReader(cluster::get, admin::get).read());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Waits for a finding, whose figure begins with a text. */
  Finding await(String check, String subject, String figure) {
    return await(gateway, check, subject, figure);
  }

  /** Waits for a finding through a gateway. */
  Finding await(TestBed through, String check, String subject, String figure) {
    List<Finding> found =
        Await.untilValue(
            check + " of " + subject + " with " + figure,
            () -> advice(through).findings(),
            findings ->
                findings.stream()
                    .anyMatch(one -> isOf(one, check, subject) && one.figure().startsWith(figure)));
    return found.stream().filter(one -> isOf(one, check, subject)).findFirst().orElseThrow();
  }

  private static boolean isOf(Finding finding, String check, String subject) {
    return finding.check().equals(check) && finding.subject().equals(subject);
  }

  /** Runs the printed commands in a shell, and waits until the finding is gone. */
  void mend(Finding finding) {
    mend(gateway, finding);
  }

  /** Runs the printed commands through a gateway, and waits until the finding is gone. */
  void mend(TestBed through, Finding finding) {
    runCalls(through, finding);
    awaitGone(through, finding);
  }

  /** Runs the printed commands through a gateway. */
  void runCalls(TestBed through, Finding finding) {
    CommandFormatter commands = new CommandFormatter(through.uri().toString(), "");
    for (MendStep step : finding.mend().steps()) {
      assertThat(step).as("a call").isInstanceOf(MendStep.Call.class);
      run(commands.format(step));
    }
  }

  void awaitGone(TestBed through, Finding finding) {
    Await.untilValue(
        "no " + finding.check() + " of " + finding.subject(),
        () -> advice(through).findings(),
        findings ->
            findings.stream().noneMatch(one -> isOf(one, finding.check(), finding.subject())));
  }

  private static void run(String command) {
    try {
      Process shell = new ProcessBuilder("bash", "-c", command).redirectErrorStream(true).start();
      shell.getOutputStream().close();
      String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(shell.waitFor()).as(command + "\n" + output).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    gateway.close();
    nodes.close();
  }
}
