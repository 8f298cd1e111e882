package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.process.ProcessStates;
import dev.weir.testkit.process.WorkingTree;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One cluster for all tests of this class; each leaves it with all nodes running and green. */
@Drawn(oneIn = 3)
class DataNodeClusterIT {
  private static DataNodeCluster nodes;

  @BeforeAll
  static void startNodes() {
    nodes = DataNodeCluster.start(ClusterSpec.ofNodes(3).withProgress(System.out::println));
  }

  @AfterAll
  static void endNodes() {
    List<Long> pids = nodes.nodes().stream().map(DataNode::pid).toList();
    nodes.close();
    pids.forEach(ProcessStates::awaitGone);
  }

  private static String names() {
    return nodes.rest().send("GET", "/_cat/nodes?h=name&s=name").orThrow().body();
  }

  @Test
  void formsOneClusterOfStockModulesAndWeirsPlugin() {
    assertThat(names()).isEqualTo("node-1\nnode-2\nnode-3\n");
    assertThat(nodes.rest().send("GET", "/").orThrow().body()).contains("\"number\" : \"3.8.0\"");
    String plugins = nodes.rest().send("GET", "/_cat/plugins?h=component").orThrow().body();
    assertThat(plugins)
        .contains("PainlessModulePlugin", "CommonAnalysisModulePlugin", "MustacheModulePlugin")
        .contains("ParentJoinModulePlugin", "PercolatorModulePlugin", "ReindexModulePlugin")
        .contains("MatrixAggregationModulePlugin", "MapperExtrasModulePlugin")
        .contains("RankEvalModulePlugin", "IngestCommonModulePlugin")
        .contains("SearchPipelineCommonModulePlugin", "Netty4ModulePlugin", "WeirPlugin");
  }

  @Test
  void knowsTheIdsThatTheClusterUses() {
    String ids = nodes.rest().send("GET", "/_cat/nodes?h=id&full_id=true").orThrow().body();
    assertThat(ids.lines().toList())
        .containsExactlyInAnyOrderElementsOf(nodes.nodes().stream().map(DataNode::id).toList());
  }

  @Test
  void writesItsLogIntoItsOwnFolder() {
    assertThat(nodes.node(1).log()).content().contains("node-2", "started");
  }

  @Test
  void signalsNoProcessThatHasEnded() {
    DataNode node = nodes.node(2);
    long pid = node.pid();
    node.throttle(Duration.ofMillis(50), 0.1);
    assertThat(signallingProcesses(pid)).isNotEmpty();

    CompletableFuture<Integer> ended = node.exitCode();
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    ended.join();
    node.start();
    nodes.awaitGreen();

    assertThat(signallingProcesses(pid)).isEmpty();
    assertThat(signallingProcesses(node.pid())).isNotEmpty();
  }

  private static List<ProcessHandle> signallingProcesses(long pid) {
    List<String> ending = List.of("weir-signals", Long.toString(pid));
    return ProcessHandle.current()
        .children()
        .filter(
            child -> List.of(child.info().arguments().orElse(new String[0])).containsAll(ending))
        .toList();
  }

  @Test
  void restartsAtTheSamePortsWithTheSameData() {
    nodes.rest().send("PUT", "/restart/_doc/1?refresh=true", "{\"a\":1}").orThrow();
    DataNode node = nodes.node(2);
    long pid = node.pid();

    node.restart();
    nodes.awaitGreen();

    assertThat(node.pid()).isNotEqualTo(pid);
    try (RestClient rest = new RestClient(node.httpUri())) {
      assertThat(rest.send("GET", "/restart/_source/1").body()).isEqualTo("{\"a\":1}");
    }
  }

  @Test
  void killAndRestartANode() {
    DataNode node = nodes.node(1);
    node.kill();
    assertThat(node.isAlive()).isFalse();
    assertThatThrownBy(node::pid).hasMessage("got a stopped node-2 (expected: running)");
    nodes.awaitNodes(2);

    node.start();
    nodes.awaitGreen();
    assertThat(names()).isEqualTo("node-1\nnode-2\nnode-3\n");
  }

  @Test
  void freezeANodeUntilItIsResumed() {
    DataNode node = nodes.node(2);
    node.freeze();
    ProcessStates.awaitStopped(node.pid());
    node.resume();
    ProcessStates.awaitRunning(node.pid());
    try (RestClient rest = new RestClient(node.httpUri())) {
      assertThat(rest.send("GET", "/").status()).isEqualTo(200);
    }
  }

  @Test
  void slowANodeThatStillAnswers() {
    DataNode node = nodes.node(2);
    node.throttle(Duration.ofMillis(50), 0.8);
    ProcessStates.awaitStopped(node.pid());
    try (RestClient rest = new RestClient(node.httpUri())) {
      assertThat(rest.send("GET", "/").status()).isEqualTo(200);
    }
    ProcessStates.awaitStopped(node.pid());
    node.resume();
    ProcessStates.awaitRunning(node.pid());
  }

  @Test
  void stopAFrozenNode() {
    DataNode node = nodes.node(2);
    node.freeze();
    ProcessStates.awaitStopped(node.pid());
    node.stop();
    assertThat(node.isAlive()).isFalse();
    node.start();
    nodes.awaitGreen();
  }

  @Test
  void addsAStockCoordinatingOnlyNode() {
    DataNode added =
        nodes.addNode(
            NodeSpec.of("coordinator").asCoordinatingOnly().withoutPlugins().withHeap("256m"));
    try (RestClient rest = new RestClient(added.httpUri())) {
      assertThat(rest.send("GET", "/_cat/nodes?h=name,node.role&s=name").body())
          .contains("coordinator -");
      String own = "/_nodes/_local/plugins?filter_path=nodes.*.plugins.classname";
      assertThat(rest.send("GET", own).orThrow().body()).doesNotContain("WeirPlugin");
      assertThat(nodes.rest().send("GET", own).orThrow().body()).contains("WeirPlugin");
    } finally {
      nodes.removeNode(added);
      nodes.awaitNodes(3);
      assertThat(nodes.nodes()).doesNotContain(added);
    }
  }

  @Test
  void answersDeprecatedRequestsWithWarningHeaders() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<Void> response =
          http.send(
              HttpRequest.newBuilder(nodes.node(0).httpUri().resolve("/_cat/master")).build(),
              HttpResponse.BodyHandlers.discarding());
      assertThat(response.headers().firstValue("Warning"))
          .hasValueSatisfying(warning -> assertThat(warning).contains("is deprecated"));
    }
  }

  @Test
  void keepsDataInAGivenFolder(@TempDir Path folder) {
    ClusterSpec spec = ClusterSpec.ofNodes(1).withName("kept").withFolder(folder);
    try (DataNodeCluster first = DataNodeCluster.start(spec)) {
      first.rest().send("PUT", "/kept", "{\"settings\":{\"number_of_replicas\":0}}").orThrow();
      first.rest().send("PUT", "/kept/_doc/1", "{\"a\":1}").orThrow();
    }
    try (DataNodeCluster second = DataNodeCluster.start(spec)) {
      assertThat(second.rest().send("GET", "/kept/_source/1").body()).isEqualTo("{\"a\":1}");
    }
    ClusterSpec other =
        ClusterSpec.ofNodes(1).mapNodes(node -> NodeSpec.of("other")).withFolder(folder);
    assertThatThrownBy(() -> DataNodeCluster.start(other))
        .hasMessageStartingWith("got the data of [node-1] too in " + folder);
  }

  @Test
  void saysWhyANodeDidNotStart() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1).mapNodes(node -> node.withSetting("no.such.setting", "1"));

    assertThatThrownBy(() -> DataNodeCluster.start(spec))
        .isInstanceOf(NodeStartException.class)
        .hasMessageContaining("node-1 ended with status 1 (expected: a started node)")
        .hasMessageContaining("unknown setting [no.such.setting]");
  }

  @Test
  void preparesAQuickStart() {
    assertThat(WorkingTree.cache().resolve("node-image"))
        .isDirectoryRecursivelyContaining("glob:**/{node.aot,failed.txt}");
  }
}
