package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, disabledReason = "reads priorities from /proc")
class ProcessPriorityTest {
  /** The field of {@code /proc/PID/stat} behind the name, counted from 0. */
  private static final int NICE = 16;

  @Test
  void lowerAndRestore() throws Exception {
    assumeThat(ProcessPriority.canRestore()).as("may raise priorities").isTrue();
    Process child = new ProcessBuilder("sleep", "60").start();
    try {
      ProcessPriority.lower(child.pid());
      assertThat(niceness(child.pid())).isEqualTo(19);
      ProcessPriority.restore(child.pid());
      assertThat(niceness(child.pid())).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  private static int niceness(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[NICE]);
  }
}
