package dev.weir.bench.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.BenchClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The table of all benchmarks in docs/checks.md. */
final class BenchDocTest {
  private static final Path PAGE = Path.of("..", "docs", "checks.md");
  private static final String HEAD = "| `./weir bench NAME` | what it measures | figures |";

  /** Returns the rows below the head. */
  private static List<String> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .dropWhile(line -> !line.equals(HEAD))
        .skip(2)
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }

  @Test
  void listEveryBenchmarkByName() throws IOException {
    List<String> names = rows().stream().map(row -> row.split("`", 3)[1]).toList();
    try (BenchClusters clusters = BenchClusters.perBenchmark()) {
      Set<String> commands =
          new TreeSet<>(BenchMain.commandLine(clusters).getSubcommands().keySet());
      assertThat(names).containsExactlyElementsOf(commands);
    }
  }

  @Test
  void describeEveryBenchmarkAndLinkItsPage() throws IOException {
    assertThat(rows())
        .isNotEmpty()
        .allSatisfy(row -> assertThat(row).matches("\\| `[a-z0-9-]+` \\| [^|]{10,} \\| .*]\\(.*"));
  }
}
