package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(value = OS.LINUX, disabledReason = "reads policies from /proc")
class ProcessPriorityTest {
  /** The field of {@code /proc/PID/task/TID/stat} behind the name, counted from 0. */
  private static final int POLICY = 38;

  private static final int NORMAL = 0;
  private static final int IDLE = 5;

  @Test
  void lowerAndRestore() throws Exception {
    assumeThat(ProcessPriority.canRestore()).as("may raise priorities").isTrue();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process child =
        new ProcessBuilder(
                List.of(java, "-cp", System.getProperty("java.class.path"), Idle.class.getName()))
            .start();
    try {
      assertThat(child.getInputStream().read()).as("started").isEqualTo('.');
      ProcessPriority.lower(child.pid());
      assertThat(policies(child.pid())).containsOnlyKeys(IDLE);
      ProcessPriority.restoreAllButCompilers(child.pid());
      Map<Integer, List<String>> restored = policies(child.pid());
      assertThat(restored).containsOnlyKeys(NORMAL, IDLE);
      assertThat(restored.get(IDLE)).allMatch(name -> name.contains("Compiler"));
      assertThat(restored.get(NORMAL)).noneMatch(name -> name.contains("Compiler"));
    } finally {
      child.destroyForcibly();
    }
  }

  /** A JVM that does nothing. */
  static final class Idle {
    private Idle() {}

    public static void main(String[] args) throws Exception {
      System.out.print('.');
      System.out.flush();
      Thread.sleep(60_000);
    }
  }

  /** The names of a process's threads by policy. */
  private static Map<Integer, List<String>> policies(long pid) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return threads
          .map(ProcessPriorityTest::stat)
          .collect(
              Collectors.groupingBy(
                  stat ->
                      Integer.parseInt(
                          stat.substring(stat.lastIndexOf(')') + 2).split(" ")[POLICY]),
                  Collectors.mapping(
                      stat -> stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
                      Collectors.toList())));
    }
  }

  private static String stat(Path thread) {
    try {
      return Files.readString(thread.resolve("stat"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
