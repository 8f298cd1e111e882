package dev.weir.testkit.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What must be closed when this JVM ends in an orderly way; the last registered is closed first.
 */
public final class AtExit {
  private static final Deque<Runnable> ACTIONS = new ArrayDeque<>();
  private static boolean hooked;
  private static volatile boolean begun;

  private AtExit() {}

  /** Has an action run when the JVM ends, unless it is {@link #forget forgotten} before. */
  public static void run(Runnable action) {
    synchronized (ACTIONS) {
      if (!hooked) {
        Runtime.getRuntime().addShutdownHook(new Thread(AtExit::runAll, "testkit-exit"));
        hooked = true;
      }
      ACTIONS.push(action);
    }
  }

  /** Forgets an action that {@link #run} was given. */
  public static void forget(Runnable action) {
    synchronized (ACTIONS) {
      ACTIONS.remove(action);
    }
  }

  /** Whether this JVM is ending: what ends with it now is no failure. */
  public static boolean begun() {
    return begun;
  }

  private static void runAll() {
    begun = true;
    for (Runnable action = next(); action != null; action = next()) {
      try {
        action.run();
      } catch (RuntimeException failure) {
        // The others must get their turn.
        System.err.println("could not clean up: " + failure);
      }
    }
  }

  private static @Nullable Runnable next() {
    synchronized (ACTIONS) {
      return ACTIONS.poll();
    }
  }
}
