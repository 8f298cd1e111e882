package dev.weir.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class TestRunReporterTest {
  private static final String INNER = "weir.reported";

  @TempDir private Path module;

  @Test
  void writesEachSkippedTestWithItsReason() throws IOException {
    String printed = run(Skipping.class);
    assertThat(skippedLines())
        .containsExactlyInAnyOrder(
            "1\t" + Skipping.class.getName() + ".withReason\thelm is missing here",
            "1\t" + Skipping.class.getName() + ".withoutReason\tNO REASON");
    assertThat(printed).contains("[test seed] " + TestSeed.value());
  }

  @Test
  void countsTheTestsOfASkippedClass() throws IOException {
    run(SkippedClass.class);
    assertThat(skippedLines()).containsExactly("2\t" + SkippedClass.class.getName() + "\tnever");
  }

  @Test
  void printsHowToRepeatAFailure() throws IOException {
    assertThat(run(Failing.class))
        .contains(
            "failed: " + Failing.class.getName() + ".fails; -Dweir.test.seed=" + TestSeed.value());
    assertThat(module.resolve("target")).doesNotExist();
  }

  private List<String> skippedLines() throws IOException {
    Path file =
        module.resolve("target/skipped-tests").resolve(ProcessHandle.current().pid() + ".tsv");
    return Files.readAllLines(file);
  }

  /** Runs a test class with one reporter, and returns what was printed. */
  private String run(Class<?> tests) {
    String basedir = System.getProperty("basedir");
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setProperty("basedir", module.toString());
    System.setProperty(INNER, "true");
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      LauncherFactory.create(
              LauncherConfig.builder()
                  .enableTestExecutionListenerAutoRegistration(false)
                  .addTestExecutionListeners(new TestRunReporter())
                  .build())
          .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build());
    } finally {
      System.setOut(out);
      System.clearProperty(INNER);
      if (basedir == null) {
        System.clearProperty("basedir");
      } else {
        System.setProperty("basedir", basedir);
      }
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  static final class Skipping {
    @Test
    void withReason() {
      assumeTrue(false, "helm is missing here");
    }

    @Test
    void withoutReason() {
      assumeTrue(Boolean.getBoolean("weir.never"));
    }

    @Test
    void runs() {
      assertThat(System.getProperty(INNER)).isEqualTo("true");
    }
  }

  @EnabledIfSystemProperty(named = "weir.never", matches = "true", disabledReason = "never")
  static final class SkippedClass {
    @Test
    void one() {
      assertThat(System.getProperty(INNER)).as("never runs").isNull();
    }

    @Test
    void other() {
      assertThat(System.getProperty(INNER)).as("never runs").isNull();
    }
  }

  static final class Failing {
    @Test
    void fails() {
      assertThat(System.getProperty(INNER)).as("fails on purpose").isNull();
    }
  }
}
