package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ClassPath;
import dev.weir.testkit.process.JvmCommand;
import dev.weir.testkit.process.ProcessStates;
import dev.weir.testkit.process.WorkingTree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data nodes do not outlive the process that started them, however it ends. */
@Drawn(oneIn = 3)
class OrphanedNodesIT {
  @TempDir private Path folder;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private ChildJvm startHarness() {
    JvmCommand command =
        JvmCommand.of(
            ClassPath.ofThisJvm(),
            List.of("-Dweir.root=" + WorkingTree.root(), "-Djava.io.tmpdir=" + folder),
            HarnessMain.class.getName(),
            List.of());
    return ChildJvm.start(command, folder.resolve("harness-stderr.log"), lines::add);
  }

  private List<Long> pids() throws InterruptedException {
    String line = lines.poll(180, TimeUnit.SECONDS);
    assertThat(line).startsWith("pids ");
    List<Long> pids =
        Stream.of(line.substring("pids ".length()).split(" ")).map(Long::valueOf).toList();
    assertThat(pids).hasSize(2);
    ProcessStates.awaitRunning(pids.get(0));
    ProcessStates.awaitStopped(pids.get(1));
    return pids;
  }

  @Test
  void dieWithAParentThatIsKilled() throws Exception {
    ChildJvm harness = startHarness();
    List<Long> pids = pids();

    harness.kill();

    pids.forEach(ProcessStates::awaitGone);
  }

  @Test
  void dieWithAParentThatIsTerminatedAndLeaveNoFiles() throws Exception {
    ChildJvm harness = startHarness();
    List<Long> pids = pids();

    harness.stop(Duration.ofSeconds(60));

    pids.forEach(ProcessStates::awaitGone);
    assertThat(folder).isDirectoryNotContaining("glob:**/weir-nodes-*");
  }
}
