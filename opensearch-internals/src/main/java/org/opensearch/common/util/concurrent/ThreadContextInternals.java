package org.opensearch.common.util.concurrent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.NullMarked;

/**
 * Tells whether a thread has a context of its own, and whether that has changed. Safe on any
 * thread.
 */
@NullMarked
public final class ThreadContextInternals {
  private static final VarHandle THREAD_LOCAL = threadLocal();

  private ThreadContextInternals() {}

  private static VarHandle threadLocal() {
    try {
      return MethodHandles.privateLookupIn(ThreadContext.class, MethodHandles.lookup())
          .findVarHandle(ThreadContext.class, "threadLocal", ThreadLocal.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Returns the object that a stored context restores. While it is the same, storing the context
   * again would restore the same.
   */
  public static Object present(ThreadContext context) {
    return ((ThreadLocal<?>) THREAD_LOCAL.get(context)).get();
  }

  /**
   * Returns whether this thread's context is the one that threads start with: the same object,
   * which is empty. A context that was emptied or filled with nothing may be another object.
   */
  public static boolean isDefault(ThreadContext context) {
    return context.isDefaultContext();
  }
}
