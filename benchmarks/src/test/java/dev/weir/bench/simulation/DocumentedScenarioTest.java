package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scenario in docs/routing.md, as somebody would write it beside the others. */
final class DocumentedScenarioTest {
  private static final String IN_FRONT =
      """
      package dev.weir.bench.simulation;

      import dev.weir.bench.simulation.SimulationScenario.Cluster;
      import dev.weir.bench.simulation.SimulationScenario.Load;
      import dev.weir.bench.simulation.SimulationScenario.Time;

      final class Documented {
        static SimulationScenario scenario() {
          return
      """;

  @Test
  void canBePlayed(@TempDir Path folder) throws Exception {
    String page = Files.readString(Path.of("..", "docs", "routing.md"));
    String block = page.split("```java\n", -1)[1].split("```", -1)[0];
    Path source = folder.resolve("Documented.java");
    Files.writeString(source, IN_FRONT + block + "}}");
    StringWriter said = new StringWriter();
    assertThat(compile(source, said)).as(said.toString()).isTrue();
    byte[] code = Files.readAllBytes(folder.resolve("dev/weir/bench/simulation/Documented.class"));
    Class<?> documented = MethodHandles.lookup().defineClass(code);
    SimulationScenario scenario =
        (SimulationScenario) documented.getDeclaredMethod("scenario").invoke(null);
    StrategyResult ours = new SimulationResults().run(scenario, SelectionStrategy.ADAPTIVE, 1);
    assertThat(ours.failedRatio()).isZero();
    assertThat(ours.p99())
        .isLessThan(new SimulationResults().run(scenario, SelectionStrategy.ROUND_ROBIN, 1).p99());
  }

  private static boolean compile(Path source, StringWriter said) throws IOException {
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    String folder = source.resolveSibling("").toString();
    List<String> options =
        List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d", folder);
    try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
      return javac
          .getTask(said, files, null, options, null, files.getJavaFileObjects(source))
          .call();
    }
  }
}
