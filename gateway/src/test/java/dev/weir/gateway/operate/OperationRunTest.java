package dev.weir.gateway.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of real commands. */
@Timeout(30)
class OperationRunTest {
  private static final String MARK = "  | ";

  @TempDir private Path folder;

  private final OperationRun run = new OperationRun("");

  @Test
  void returnTheStatusAndKeepTheOutput() throws Exception {
    assertThat(run.run("echo out; echo err >&2; printf rest; exit 3")).isEqualTo(3);
    assertThat(run.lines()).containsExactly(MARK + "out", MARK + "err", MARK + "rest");
  }

  @Test
  void cutLinesWithoutEnd() throws Exception {
    run.run("printf '%01000d\\n' 7; printf '%09000d' 7; echo; printf '\\nlast\\r\\n'");
    assertThat(run.lines())
        .containsExactly(
            MARK + "0".repeat(999) + "7", MARK + "0".repeat(1000) + "...", MARK, MARK + "last");
  }

  @Test
  void endWithTheShellThoughAProcessKeepsTheOutputOpen() throws Exception {
    int status = run.run("sleep 60 & echo $!; echo done");
    ProcessHandle sleeper =
        ProcessHandle.of(Long.parseLong(run.lines().getFirst().substring(MARK.length())))
            .orElseThrow();
    try {
      assertThat(sleeper.isAlive()).isTrue();
      assertThat(status).isZero();
      assertThat(run.lines()).last().isEqualTo(MARK + "done");
    } finally {
      sleeper.destroyForcibly();
    }
  }

  @Test
  void letTheCommandEndWhenInterrupted() throws Exception {
    Path begun = folder.resolve("begun");
    Path go = folder.resolve("go");
    FutureTask<Integer> task =
        new FutureTask<>(() ->
            run.run(
                "touch %s; while [ ! -e %s ]; do sleep 0.05; done; echo ended"
                    .formatted(begun, go)));
    Thread thread = Thread.ofPlatform().start(task);
    while (!Files.exists(begun)) {
      Thread.sleep(10);
    }
    thread.interrupt();
    assertThat(thread.join(Duration.ofMillis(300))).isFalse();

    Files.createFile(go);
    assertThatThrownBy(() -> task.get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(run.lines()).containsExactly(MARK + "ended");
  }
}
