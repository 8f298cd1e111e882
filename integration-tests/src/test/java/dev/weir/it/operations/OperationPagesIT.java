package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway carries operations out at its admin port, with the commands of its configuration. */
@Drawn(oneIn = 2)
class OperationPagesIT {
  @TempDir private Path folder;

  private static JsonResponse shown(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/operations").orThrow());
  }

  private static String node() {
    return SharedCluster.get().nodes().getFirst().name();
  }

  @Test
  void runTheConfiguredWindowAndShowIt() throws Exception {
    Path go = folder.resolve("go");
    Path ran = folder.resolve("ran");
    String command = "while [ ! -e %s ]; do sleep 0.1; done; echo {name} > %s".formatted(go, ran);
    try (TestBed bed =
        TestBed.withSections(
            SharedCluster.get().seeds(), "operations: {window-command: \"" + command + "\"}")) {
      RestReply rehearsed =
          bed.admin().send("POST", "/operations/window?dry_run=true&node=" + node());
      assertThat(rehearsed.status()).as(rehearsed.body()).isEqualTo(200);
      assertThat(rehearsed.body()).contains("drain it at all gateways");
      assertThat(shown(bed).text("operation")).isEqualTo("{}");

      RestReply begun = bed.admin().send("POST", "/operations/window?node=" + node());
      assertThat(begun.status()).as(begun.body()).isEqualTo(202);
      Await.untilValue(
          "a running command",
          () -> shown(bed).text("operation.step"),
          step -> step.equals("run-command"));
      assertThat(shown(bed).at("runs_here")).isEqualTo(true);
      assertThat(shown(bed).text("operation.operation")).isEqualTo("window");
      assertThat(bed.admin().send("GET", "/operations").body()).doesNotContain("while [");
      assertThat(bed.admin().send("GET", "/nodes").body()).contains("\"state\": \"drained\"");
      RestReply second = bed.admin().send("POST", "/operations/move-manager");
      assertThat(second.status()).isEqualTo(409);
      assertThat(bed.admin().send("POST", "/operations/abort?cluster=nowhere").status())
          .isEqualTo(400);
      assertThat(shown(bed).at("runs_here")).isEqualTo(true);

      Files.createFile(go);
      Await.untilValue("the node's name", () -> read(ran), text -> text.equals(node()));
      RestReply aborted = abort(bed);
      assertThat(aborted.status()).as(aborted.body()).isEqualTo(200);
      assertThat(shown(bed).text("operation")).isEqualTo("{}");
    }
    assertThat(SharedCluster.get().rest().send("GET", "/_cluster/settings").body())
        .doesNotContain("node-weight", "weir.operation");
  }

  /** The text of a file; empty before the file is there. */
  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The operation gives the node its requests back over a minute: the test ends that early. */
  private static RestReply abort(TestBed bed) {
    Await.untilValue(
        "the last step", () -> shown(bed).text("operation.step"), step -> step.equals("restore"));
    return bed.admin().send("POST", "/operations/abort");
  }

  @Test
  void abortOnceTheCommandHasEnded() throws Exception {
    Path go = folder.resolve("go-on");
    String command = "while [ ! -e %s ]; do sleep 0.1; done".formatted(go);
    try (TestBed bed =
        TestBed.withSections(
            SharedCluster.get().seeds(), "operations: {window-command: \"" + command + "\"}")) {
      bed.admin().send("POST", "/operations/window?node=" + node()).orThrow();
      Await.untilValue(
          "a running command",
          () -> bed.admin().send("GET", "/operations").body(),
          body -> body.contains("running the command"));
      RestReply later = bed.admin().send("POST", "/operations/abort");
      assertThat(later.status()).as(later.body()).isEqualTo(202);
      assertThat(later.body()).contains("still runs");
      assertThat(shown(bed).text("operation.step")).isEqualTo("run-command");

      Files.createFile(go);
      Await.untilValue("its end", () -> shown(bed).at("runs_here"), Boolean.FALSE::equals);
      assertThat(shown(bed).text("operation")).isEqualTo("{}");
    }
    assertThat(SharedCluster.get().rest().send("GET", "/_cluster/settings").body())
        .doesNotContain("node-weight", "weir.operation");
  }

  @Test
  void resumeOnceTheOperatorKnowsThatTheCommandHasEnded() throws Exception {
    Path go = folder.resolve("go-at-last");
    String sections =
        "operations: {window-command: \"while [ ! -e %s ]; do sleep 0.1; done\"}".formatted(go);
    try (TestBed first = TestBed.withSections(SharedCluster.get().seeds(), sections)) {
      first.admin().send("POST", "/operations/window?node=" + node()).orThrow();
      Await.untilValue(
          "a running command",
          () -> first.admin().send("GET", "/operations").body(),
          body -> body.contains("running the command"));
    }
    try (TestBed second = TestBed.withSections(SharedCluster.get().seeds(), sections)) {
      second.admin().send("POST", "/operations/resume");
      Await.untilValue(
          "a question",
          () -> second.admin().send("GET", "/operations").body(),
          body -> body.contains("not known whether it has ended"));
      Await.untilValue("its end", () -> shown(second).at("runs_here"), Boolean.FALSE::equals);

      second.admin().send("POST", "/operations/resume?command=ended").orThrow();
      RestReply aborted = abort(second);
      assertThat(aborted.status()).as(aborted.body()).isEqualTo(200);
      assertThat(shown(second).text("operation")).isEqualTo("{}");
    } finally {
      Files.createFile(go);
    }
    assertThat(SharedCluster.get().rest().send("GET", "/_cluster/settings").body())
        .doesNotContain("node-weight", "weir.operation");
  }

  @Test
  void refuseWhatTheConfigurationDoesNotHave() {
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds())) {
      RestReply refused = bed.admin().send("POST", "/operations/restart-node?node=" + node());
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.body()).contains("operations.restart-command is not set");
      assertThat(bed.admin().send("POST", "/operations/window").status()).isEqualTo(400);
      assertThat(bed.admin().send("POST", "/operations/abort").body())
          .contains("no operation has begun");
      RestReply other = bed.admin().send("POST", "/operations/move-manager?cluster=nowhere");
      assertThat(other.status()).isEqualTo(400);
      assertThat(other.body()).contains("expected: one of main");
    }
  }
}
