package dev.weir.testkit.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints the seed of the run, and writes each skipped test with its reason to {@code
 * target/skipped-tests/}, from where {@code ./weir test} reads them.
 *
 * <p>A line of such a file: the number of tests that were skipped, the test or test class, and the
 * reason, with tabs between. A missing reason is written as {@value #NO_REASON}.
 *
 * <p>JUnit calls it on the thread that runs the tests.
 */
public final class TestRunReporter implements TestExecutionListener {
  /** Stands where a reason is missing. */
  static final String NO_REASON = "NO REASON";

  private @Nullable TestPlan plan;

  /** JUnit makes one for each run. */
  public TestRunReporter() {}

  @Override
  public void testPlanExecutionStarted(TestPlan started) {
    plan = started;
    if (started.containsTests()) {
      System.out.println("[test seed] " + TestSeed.value());
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    record(test, SkipReason.ofCondition(reason));
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Throwable cause = result.getThrowable().orElse(null);
    switch (result.getStatus()) {
      case SUCCESSFUL -> {}
      case ABORTED ->
          record(test, SkipReason.ofAssumption(cause == null ? null : cause.getMessage()));
      case FAILED ->
          System.out.println(
              "[test seed] failed: "
                  + name(test)
                  + "; -D"
                  + TestSeed.PROPERTY
                  + "="
                  + TestSeed.value()
                  + " repeats the order of tests and their random values");
    }
  }

  private void record(TestIdentifier test, @Nullable String reason) {
    String line =
        countTests(test) + "\t" + name(test) + "\t" + (reason == null ? NO_REASON : reason) + "\n";
    Path folder =
        Path.of(System.getProperty("basedir", "")).resolve("target").resolve("skipped-tests");
    try {
      Files.createDirectories(folder);
      Files.writeString(
          folder.resolve(ProcessHandle.current().pid() + ".tsv"),
          line,
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to " + folder, e);
    }
  }

  private long countTests(TestIdentifier skipped) {
    if (skipped.isTest() || plan == null) {
      return 1;
    }
    return plan.getDescendants(skipped).stream().filter(TestIdentifier::isTest).count();
  }

  private static String name(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    return switch (source) {
      case MethodSource method -> method.getClassName() + "." + method.getMethodName();
      case ClassSource type -> type.getClassName();
      case null, default -> test.getDisplayName();
    };
  }
}
