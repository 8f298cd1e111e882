package dev.weir.operate;

import static dev.weir.operate.OperationStep.ALLOCATE_ALL;
import static dev.weir.operate.OperationStep.AWAIT_GREEN;
import static dev.weir.operate.OperationStep.AWAIT_IDLE;
import static dev.weir.operate.OperationStep.AWAIT_RETURN;
import static dev.weir.operate.OperationStep.CHECK;
import static dev.weir.operate.OperationStep.DRAIN;
import static dev.weir.operate.OperationStep.FLUSH;
import static dev.weir.operate.OperationStep.RESTORE;
import static dev.weir.operate.OperationStep.RUN_COMMAND;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What an operator can do. */
public enum OperationKind {
  /** Restarts one node. */
  RESTART_NODE,
  /** Restarts all data nodes. */
  ROLLING_RESTART,
  /** Runs a command on a node that gets no requests meanwhile. */
  WINDOW,
  /** Has another node elected as cluster manager. */
  MOVE_MANAGER;

  private static final List<OperationStep> RESTART =
      List.of(
          CHECK,
          OperationStep.MOVE_MANAGER,
          DRAIN,
          AWAIT_IDLE,
          FLUSH,
          RUN_COMMAND,
          AWAIT_RETURN,
          ALLOCATE_ALL,
          AWAIT_GREEN,
          RESTORE);

  /** The steps for each batch of nodes, in order. */
  List<OperationStep> steps() {
    return switch (this) {
      case RESTART_NODE, ROLLING_RESTART -> RESTART;
      case WINDOW -> List.of(CHECK, DRAIN, AWAIT_IDLE, RUN_COMMAND, RESTORE);
      case MOVE_MANAGER -> List.of(CHECK, OperationStep.MOVE_MANAGER);
    };
  }

  boolean restarts() {
    return this == RESTART_NODE || this == ROLLING_RESTART;
  }

  /** Its name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static OperationKind of(String text) throws OperationException {
    for (OperationKind kind : values()) {
      if (kind.text().equals(text)) {
        return kind;
      }
    }
    throw new OperationException(
        "got operation "
            + text
            + " (expected: one of "
            + Arrays.stream(values()).map(OperationKind::text).collect(Collectors.joining(", "))
            + ")");
  }
}
