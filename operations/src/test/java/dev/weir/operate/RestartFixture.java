package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.operate.OperationObserver.Moment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** A fake cluster, and operations that restart its nodes. */
abstract class RestartFixture {
  static final String COMMAND = "restart {name}";
  static final OperationOptions OPTIONS =
      OperationOptions.DEFAULTS.withCommand(COMMAND).withRamp(Duration.ofSeconds(1));

  /** With no time for a node to leave and join again. */
  static final OperationOptions HASTY =
      new OperationOptions(
          COMMAND,
          Duration.ofMinutes(1),
          Duration.ZERO,
          Duration.ofMinutes(1),
          Duration.ZERO,
          1.3,
          true);

  final FakeOperatedCluster cluster;
  final Map<String, String> before;
  final List<String> commands = new CopyOnWriteArrayList<>();
  final List<String> lines = new CopyOnWriteArrayList<>();

  RestartFixture() {
    try {
      cluster = new FakeOperatedCluster();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    before = new TreeMap<>(cluster.settings);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Runs a command that restarts its node before it ends. */
  int run(String command) {
    assertThat(cluster.settings)
        .containsEntry(ClusterSettings.ALLOCATION, "primaries")
        .containsKey(JournalFormat.SETTING);
    commands.add(command);
    cluster.restart(command.substring("restart ".length()));
    return 0;
  }

  Operation operation() {
    return cluster.operation(this::run, lines::add);
  }

  /** An operation that does something at one moment of a step. */
  Operation operation(OperationStep at, Moment when, Runnable action) {
    return cluster.operation(this::run, observer(at, when, action));
  }

  OperationObserver observer(OperationStep at, Moment when, Runnable action) {
    return new OperationObserver() {
      @Override
      public void onProgress(String line) {
        lines.add(line);
      }

      @Override
      public void onStep(OperationStep step, Moment moment, List<String> batch) {
        if (step == at && moment == when) {
          action.run();
        }
      }
    };
  }

  static OperationRequest restart(String... nodes) {
    return OperationRequest.of(
        nodes.length == 1 ? OperationKind.RESTART_NODE : OperationKind.ROLLING_RESTART,
        List.of(nodes),
        OPTIONS);
  }

  /** A request for the nodes a and b at once. */
  static OperationRequest restartZone() {
    return new OperationRequest(
        OperationKind.ROLLING_RESTART, List.of("a", "b"), "zone", 2, OPTIONS);
  }

  /** Restarts the node a until nothing answers after some changes; returns what goes on. */
  Operation stopAfter(int changes) {
    return stopAfter(changes, restart("a"));
  }

  /** Begins what is asked for until nothing answers after some changes; returns what goes on. */
  Operation stopAfter(int changes, OperationRequest request) {
    cluster.lastChange = changes;
    assertThatThrownBy(() -> operation().start(request)).isInstanceOf(OperationException.class);
    assertThat(cluster.changes).hasSize(changes);
    cluster.lastChange = 0;
    return operation();
  }

  void abort() {
    try {
      operation().abort();
    } catch (OperationException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
