package dev.weir.cluster.read;

import org.jspecify.annotations.Nullable;

/** Compares objects by identity: what did not change between two states is the same object. */
public final class Identity {
  private Identity() {}

  /** Returns whether both are one object. */
  @SuppressWarnings("ReferenceEquality")
  public static boolean isSame(@Nullable Object one, @Nullable Object other) {
    return one == other;
  }
}
