package dev.weir.testkit.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What must be closed when this JVM ends in an orderly way; the last registered is closed first.
 */
public final class ShutdownActions {
  private static final Deque<Runnable> ACTIONS = new ArrayDeque<>();
  private static boolean hookInstalled;
  private static volatile boolean isShuttingDown;

  private ShutdownActions() {}

  /** Has an action run when the JVM ends, unless it is {@link #unregister forgotten} before. */
  public static void register(Runnable action) {
    synchronized (ACTIONS) {
      if (!hookInstalled) {
        Runtime.getRuntime().addShutdownHook(new Thread(ShutdownActions::runAll, "testkit-exit"));
        hookInstalled = true;
      }
      ACTIONS.push(action);
    }
  }

  /** Forgets an action that {@link #register} was given. */
  public static void unregister(Runnable action) {
    synchronized (ACTIONS) {
      ACTIONS.remove(action);
    }
  }

  /** Whether this JVM is ending: what ends with it now is no failure. */
  public static boolean isShuttingDown() {
    return isShuttingDown;
  }

  private static void runAll() {
    isShuttingDown = true;
    for (Runnable action = pollLast(); action != null; action = pollLast()) {
      try {
        action.run();
      } catch (RuntimeException failure) {
        // The others must get their turn.
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
