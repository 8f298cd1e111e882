package dev.weir.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignalSenderTest {
  private final Process sleeper = sleeper();

  private static Process sleeper() {
    try {
      return new ProcessBuilder("sleep", "600").start();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void endSleeper() throws InterruptedException {
    sleeper.destroyForcibly().waitFor();
  }

  @Test
  void stopsAndResumesAProcess() {
    try (SignalSender signals = new SignalSender(sleeper.pid())) {
      signals.stop();
      ProcessStates.awaitStopped(sleeper.pid());
      signals.resume();
      ProcessStates.awaitRunning(sleeper.pid());
    }
  }

  @Test
  void resumesAStoppedProcessWhenItIsClosed() {
    try (SignalSender signals = new SignalSender(sleeper.pid())) {
      signals.stop();
      ProcessStates.awaitStopped(sleeper.pid());
    }
    ProcessStates.awaitRunning(sleeper.pid());
  }

  @Test
  void resumesAStoppedProcessWhenItsOwnerIsKilled(@TempDir Path folder) throws Exception {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    JvmCommand command =
        JvmCommand.of(
            ClassPath.ofThisJvm(),
            List.of("-XX:TieredStopAtLevel=1"),
            StoppingMain.class.getName(),
            List.of(Long.toString(sleeper.pid())));
    ChildJvm owner = ChildJvm.start(command, folder.resolve("stderr.log"), lines::add);
    assertThat(lines.poll(60, TimeUnit.SECONDS)).isEqualTo("stopped");
    ProcessStates.awaitStopped(sleeper.pid());

    owner.kill();

    ProcessStates.awaitRunning(sleeper.pid());
  }

  @Test
  void dutyCycleStopsAndResumesAgainAndAgainAndEndsResumed() {
    try (SignalSender signals = new SignalSender(sleeper.pid())) {
      ProcessThrottle cycle = new ProcessThrottle(signals, Duration.ofMillis(50), 0.5);
      for (int i = 0; i < 3; i++) {
        ProcessStates.awaitStopped(sleeper.pid());
        ProcessStates.awaitRunning(sleeper.pid());
      }
      cycle.close();
      ProcessStates.awaitRunning(sleeper.pid());
    }
  }

  @Test
  void refusesADutyCycleThatIsNone() {
    try (SignalSender signals = new SignalSender(sleeper.pid())) {
      assertThatThrownBy(() -> new ProcessThrottle(signals, Duration.ofMillis(50), 1.0))
          .hasMessage("got a stopped share of 1.0 (expected: over 0 and below 1)");
      assertThatThrownBy(() -> new ProcessThrottle(signals, Duration.ZERO, 0.5))
          .hasMessage("got a period of PT0S (expected: positive)");
    }
  }
}
