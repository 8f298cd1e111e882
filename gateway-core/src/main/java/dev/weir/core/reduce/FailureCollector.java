package dev.weir.core.reduce;

import org.jspecify.annotations.Nullable;

/** The first of several failures, with the others suppressed in it. */
final class FailureCollector {
  private @Nullable Exception first;

  @SuppressWarnings("ReferenceEquality") // a failure can't suppress itself
  void add(Exception failure) {
    Exception seen = BaseShardRound.unwrapRemote(failure);
    if (first == null) {
      first = seen;
    } else if (first != seen) {
      first.addSuppressed(seen);
    }
  }

  @Nullable Exception get() {
    return first;
  }
}
