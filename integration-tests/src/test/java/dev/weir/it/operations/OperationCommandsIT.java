package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.operations.OperatedNodes.Ended;
import dev.weir.testkit.junit.Drawn;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows, moves of the manager, and what the commands refuse, on one cluster. */
@Drawn(oneIn = 3)
class OperationCommandsIT {
  private static final String INDEX = "operated";
  private static final int DOCUMENTS = 50;

  @TempDir private static Path folder;
  private static OperatedNodes nodes;
  private String settings = "";

  @BeforeAll
  static void prepare() throws Exception {
    nodes = new OperatedNodes(folder);
    nodes.createIndex(INDEX, 1, DOCUMENTS);
    nodes.cluster().awaitGreen();
  }

  @AfterAll
  static void close() {
    if (nodes != null) { // null where the class is not drawn
      nodes.close();
    }
  }

  @BeforeEach
  void remember() {
    settings = nodes.settings();
  }

  @AfterEach
  void assertAsBefore() throws Exception {
    assertThat(nodes.settings()).isEqualTo(settings);
    nodes.assertFullWeights();
    assertThat(nodes.runs()).as("restarts").isEmpty();
  }

  private static String anyNode() {
    return nodes.nodes().getFirst().name();
  }

  private static void assertRefused(Ended ended, String reason) {
    assertThat(ended.status()).as(ended.output()).isEqualTo(1);
    assertThat(ended.output()).contains(reason);
  }

  @Test
  void dryRunChangesNothing() throws Exception {
    Ended ended = nodes.run("rolling-restart", "--exec", nodes.restartCommand(), "--dry-run");
    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(ended.output())
        .contains("1 of 3", "3 of 3: " + nodes.manager(), "drain", "nothing was changed");
  }

  @Test
  void refuseIndexWithoutReplica() throws Exception {
    nodes.createIndex("single", 0, 0);
    try {
      assertRefused(
          nodes.run("restart-node", anyNode(), "--exec", nodes.restartCommand()),
          "give their indices a replica (single)");
      assertRefused(
          nodes.run("rolling-restart", "--exec", nodes.restartCommand(), "--dry-run"),
          "give their indices a replica (single)");
    } finally {
      nodes.cluster().rest().send("DELETE", "/single").orThrow();
    }
  }

  @Test
  void refuseYellowCluster() throws Exception {
    nodes.createIndex("yellow", 3, 0);
    try {
      assertRefused(
          nodes.run("restart-node", anyNode(), "--exec", nodes.restartCommand()),
          "the cluster is yellow");
    } finally {
      nodes.cluster().rest().send("DELETE", "/yellow").orThrow();
    }
  }

  @Test
  void refuseUnknownNodeAndSecondOperation() throws Exception {
    assertRefused(nodes.run("restart-node", "nobody"), "node nobody is not in the cluster");
    Ended halted =
        nodes.run(
            "restart-node",
            anyNode(),
            "--exec",
            nodes.restartCommand(),
            "--ramp",
            "1s",
            "--halt-at",
            "run-command:begun:" + anyNode());
    assertThat(halted.status()).as(halted.output()).isEqualTo(137);
    assertThat(nodes.settings()).contains("primaries", "node-weight", "weir.operation");
    assertRefused(nodes.run("window", anyNode(), "--exec", "true"), "another operation has begun");
    assertThat(nodes.run("restart-node", "--abort").status()).isZero();
    nodes.assertFullWeights();
  }

  @Test
  void endWhenTheCommandFails() throws Exception {
    Ended ended = nodes.run("restart-node", anyNode(), "--exec", "exit 3", "--ramp", "1s");
    assertRefused(ended, "ended with status 3");
    nodes.assertFullWeights();
  }

  @Test
  void runCommandOnADrainedNode() throws Exception {
    Path seen = folder.resolve("seen");
    Ended ended =
        nodes.run(
            "window",
            anyNode(),
            "--exec",
            "curl -s "
                + nodes.bed().admin().base()
                + "/nodes > "
                + seen
                + "; echo {name} >> "
                + seen,
            "--ramp",
            "1s");
    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(Files.readString(seen))
        .containsOnlyOnce("\"state\": \"drained\"")
        .endsWith("\n" + anyNode() + "\n");
  }

  @Test
  void askAboutAWindowOfWhichTheEndIsUnknown() throws Exception {
    Path ran = folder.resolve("ran");
    String command = "echo {name} >> " + ran;
    Ended halted =
        nodes.run(
            "window",
            anyNode(),
            "--exec",
            command,
            "--ramp",
            "1s",
            "--halt-at",
            "run-command:command:" + anyNode());
    assertThat(halted.status()).as(halted.output()).isEqualTo(137);
    assertRefused(nodes.run("window", "--resume", "--exec", command), "--repeat-command");
    assertThat(Files.exists(ran)).isFalse();
    Ended ended = nodes.run("window", "--resume", "--repeat-command", "--exec", command);
    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(Files.readAllLines(ran)).containsExactly(anyNode());
  }

  @Test
  void moveTheManagerWithoutAFailedRequest() throws Exception {
    String before = nodes.manager();
    try (MixedLoad load = new MixedLoad(nodes.bed(), INDEX, DOCUMENTS)) {
      load.awaitMore(50);
      Ended ended = nodes.run("move-manager");
      load.awaitMore(50);
      load.stop();
      assertThat(ended.status()).as(ended.output()).isZero();
      assertThat(load.failures()).as("of %s requests", load.requests()).isEmpty();
      assertThat(ended.output()).contains("manager moved from " + before);
    }
    assertThat(nodes.manager()).isNotEqualTo(before);
    assertThat(nodes.hasVotingExclusions()).isFalse();
  }
}
