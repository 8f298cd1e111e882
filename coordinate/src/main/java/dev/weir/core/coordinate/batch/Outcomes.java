package dev.weir.core.coordinate.batch;

import org.jspecify.annotations.Nullable;

/** Passes on the outcomes of several calls, also when one of those that wait throws. */
final class Outcomes {
  private Outcomes() {}

  /**
   * Runs an action.
   *
   * @param before what an earlier action has thrown; null for nothing
   * @return what the actions so far have thrown; null for nothing
   */
  static @Nullable Throwable run(Runnable action, @Nullable Throwable before) {
    try {
      action.run();
      return before;
    } catch (Throwable e) { // the other calls wait for their outcomes
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }

  /** Throws what the actions have thrown, if anything. */
  static void rethrow(@Nullable Throwable thrown) {
    switch (thrown) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(thrown);
    }
  }
}
