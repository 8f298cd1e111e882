package dev.weir.testkit.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Actions that run when this JVM shuts down in order; the last registered runs first. */
public final class ShutdownActions {
  private static final Deque<Runnable> ACTIONS = new ArrayDeque<>();
  private static boolean hookInstalled;
  private static volatile boolean isShuttingDown;

  private ShutdownActions() {}

  /** Registers an action that runs at shutdown, unless it is {@link #unregister removed} before. */
  public static void register(Runnable action) {
    synchronized (ACTIONS) {
      if (!hookInstalled) {
        Runtime.getRuntime().addShutdownHook(new Thread(ShutdownActions::runAll, "testkit-exit"));
        hookInstalled = true;
      }
      ACTIONS.push(action);
    }
  }

  /** Removes an action. */
  public static void unregister(Runnable action) {
    synchronized (ACTIONS) {
      ACTIONS.remove(action);
    }
  }

  /** Returns whether this JVM is shutting down; a process that ends now has not failed. */
  public static boolean isShuttingDown() {
    return isShuttingDown;
  }

  private static void runAll() {
    isShuttingDown = true;
    for (Runnable action = pollLast(); action != null; action = pollLast()) {
      try {
        action.run();
      } catch (RuntimeException failure) {
        // continue with the other actions
        System.err.println("could not clean up: " + failure);
      }
    }
  }

  private static @Nullable Runnable pollLast() {
    synchronized (ACTIONS) {
      return ACTIONS.poll();
    }
  }
}
