package dev.weir.operate;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A step of an operation. Each may be repeated. */
public enum OperationStep {
  /** Checks that it is safe to begin; changes nothing. */
  CHECK,
  /** Has another node elected as cluster manager if one of the batch is. */
  MOVE_MANAGER,
  /** Sets the weights of the nodes to 0. */
  DRAIN,
  /** Waits until no gateway waits for the nodes. */
  AWAIT_IDLE,
  /** Flushes the indices of the nodes, so that they start fast. */
  FLUSH,
  /**
   * Keeps the cluster from building new copies while the nodes are away, and runs the operator's
   * command for each node.
   */
  RUN_COMMAND,
  /** Waits until the nodes have left and joined again. */
  AWAIT_RETURN,
  /** Gives the allocation back. */
  ALLOCATE_ALL,
  /** Waits until all copies are started; raises the limits of recoveries meanwhile. */
  AWAIT_GREEN,
  /** Gives all settings and the weights back, the weights step by step. */
  RESTORE,
  /** Gives all settings and weights back at once, in place of the steps that remain. */
  ABORT;

  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static OperationStep of(String text) throws OperationException {
    for (OperationStep step : values()) {
      if (step.text().equals(text)) {
        return step;
      }
    }
    throw new OperationException(
        "got step "
            + text
            + " (expected: one of "
            + Arrays.stream(values()).map(OperationStep::text).collect(Collectors.joining(", "))
            + ")");
  }
}
