package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.it.operations.OperatedNodes.Ended;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.junit.TestSuite;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process of a command ends at moments of a restart, all of them with {@code -Dweir.suite=all};
 * another one goes on each time.
 */
@Drawn(oneIn = 3)
class OperationResumeIT {
  private static final int KILLED = 137;
  private static final List<String> STEPS =
      List.of(
          "check",
          "move-manager",
          "drain",
          "await-idle",
          "flush",
          "run-command",
          "await-return",
          "allocate-all",
          "await-green",
          "restore");

  private final Random random = TestSeed.random(OperationResumeIT.class);

  @TempDir private Path folder;

  @Test
  void goOnAfterADeathAtEachMoment() throws Exception {
    try (OperatedNodes nodes = new OperatedNodes(folder)) {
      nodes.createIndex("resumed", 1, 50);
      nodes.cluster().awaitGreen();
      String settings = nodes.settings();
      Map<String, String> starts = nodes.ephemeralIds();
      String restarted = nodes.manager();
      String[] begin = {
        "restart-node", restarted, "--exec", nodes.restartCommand(), "--ramp", "1s"
      };
      String[] resume = {"restart-node", "--resume", "--exec", nodes.restartCommand()};

      dieAt(nodes, "check:before:" + restarted, begin);
      assertThat(nodes.settings()).as("nothing has begun").isEqualTo(settings);
      dieAt(nodes, "check:begun:" + restarted, begin);
      Ended other = nodes.run("restart-node", "--resume", "--exec", "true");
      assertThat(other.status()).isEqualTo(1);
      assertThat(other.output()).contains("the command differs");
      Ended none = nodes.run("restart-node", "--resume");
      assertThat(none.output()).contains("give the same --exec");
      assertThat(nodes.settings()).doesNotContain(nodes.restartCommand());
      dieAt(nodes, "check:done:" + restarted, resume);
      for (String step : STEPS.subList(1, STEPS.size())) {
        if (isDrawn()) {
          dieAt(nodes, step + ":before:" + restarted, resume);
        }
        if (isDrawn() || step.equals("run-command")) {
          dieAt(nodes, step + ":begun:" + restarted, resume);
        }
        if (step.equals("run-command")) {
          assertThat(nodes.runs()).isEmpty();
          assertThat(nodes.settings()).contains("primaries");
          Ended asked = nodes.run(resume);
          assertThat(asked.status()).as(asked.output()).isEqualTo(1);
          assertThat(asked.output()).contains("--command-ended", "--repeat-command");
          assertThat(nodes.runs()).isEmpty();
          List<String> more = new ArrayList<>(List.of(resume));
          more.add("--repeat-command");
          String[] repeat = more.toArray(String[]::new);
          dieAt(nodes, "run-command:command:" + restarted, repeat);
          assertThat(nodes.runs()).isEmpty();
          dieWhileTheCommandRuns(nodes, repeat);
        }
        if (isDrawn()) {
          dieAt(nodes, step + ":done:" + restarted, resume);
        }
      }
      Ended last = nodes.run(resume);
      assertThat(last.status()).as(last.output()).isZero();

      assertThat(nodes.runs()).as("runs of the command").containsExactly(restarted);
      assertThat(nodes.settings()).isEqualTo(settings);
      nodes.assertFullWeights();
      assertThat(nodes.hasVotingExclusions()).isFalse();
      Map<String, String> now = nodes.ephemeralIds();
      starts.forEach((name, id) ->
          assertThat(id.equals(now.get(name)))
              .as(name + " is as before")
              .isEqualTo(!name.equals(restarted)));
      Ended nothing = nodes.run(resume);
      assertThat(nothing.status()).isEqualTo(1);
      assertThat(nothing.output()).contains("no operation has begun");
    }
  }

  /** A build draws one of four moments by the seed; all of them would take minutes. */
  private boolean isDrawn() {
    return TestSuite.IS_WHOLE || random.nextInt(4) == 0;
  }

  private static void dieAt(OperatedNodes nodes, String moment, String... command)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of("--halt-at", moment));
    Ended ended = nodes.run(all.toArray(String[]::new));
    assertThat(ended.status()).as("at %s: %s", moment, ended.output()).isEqualTo(KILLED);
  }

  /** The command is a process of its own, which goes on when the process that began it dies. */
  private static void dieWhileTheCommandRuns(OperatedNodes nodes, String... resume)
      throws Exception {
    GatewayChildProcess process = nodes.start(resume);
    Await.untilValue("a run of the command", () -> size(nodes), size -> size > 0);
    process.kill();
    process.exitCode().get(1, TimeUnit.MINUTES);
    process.close();
  }

  private static int size(OperatedNodes nodes) {
    try {
      return nodes.runs().size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
