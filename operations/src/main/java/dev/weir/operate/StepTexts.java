package dev.weir.operate;

/** What steps do, for people. */
final class StepTexts {
  private StepTexts() {}

  /** What an operation does to the nodes of its current batch. */
  static String progress(OperationJournal journal, String what) {
    return String.join(", ", journal.batch())
        + " ("
        + (journal.done() + 1)
        + " of "
        + journal.batches().size()
        + "): "
        + what;
  }

  static String describe(OperationStep step, OperationKind kind, OperationOptions options) {
    return switch (step) {
      case CHECK -> "check that it is safe";
      case MOVE_MANAGER -> "have another node elected if it is the cluster manager";
      case DRAIN ->
          options.usesZoneWeights()
              ? "drain it at all gateways; of a whole zone, have nodes search elsewhere"
              : "drain it at all gateways";
      case AWAIT_IDLE ->
          "wait until no request is in flight to it, "
              + options.drainTimeout().toSeconds()
              + " s at most";
      case FLUSH -> "flush its indices";
      case RUN_COMMAND ->
          (kind.restarts() ? "set " + ClusterSettings.ALLOCATION + " to primaries, and " : "")
              + (options.command().isEmpty()
                  ? "wait for you to restart it"
                  : "run: " + options.command());
      case AWAIT_RETURN -> "wait until it has left and joined";
      case ALLOCATE_ALL -> "set the allocation back";
      case AWAIT_GREEN -> "wait until the cluster is green, with faster recoveries while p99 holds";
      case RESTORE ->
          "give it its share of requests back over " + options.ramp().toSeconds() + " s";
      case ABORT -> "give settings and weights back as they were before";
    };
  }
}
