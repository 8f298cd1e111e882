package dev.weir.core.reduce.round;

import org.jspecify.annotations.Nullable;

/** Collects failures: the first one, with the others as suppressed exceptions. */
public final class FailureCollector {
  private @Nullable Exception first;

  @SuppressWarnings("ReferenceEquality") // a failure can't suppress itself
  public void add(Exception failure) {
    Exception seen = BaseShardRound.unwrapRemote(failure);
    if (first == null) {
      first = seen;
    } else if (first != seen) {
      first.addSuppressed(seen);
    }
  }

  public @Nullable Exception get() {
    return first;
  }
}
