package org.opensearch.common.util.concurrent;

import org.jspecify.annotations.NullMarked;

/** Tells whether a thread has a context of its own. Safe on any thread. */
@NullMarked
public final class ThreadContextInternals {
  private ThreadContextInternals() {}

  /**
   * Returns whether this thread's context is the one that threads start with: the same object,
   * which is empty. A context that was emptied or filled with nothing may be another object.
   */
  public static boolean isDefault(ThreadContext context) {
    return context.isDefaultContext();
  }
}
