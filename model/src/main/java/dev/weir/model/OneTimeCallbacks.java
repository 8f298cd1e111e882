package dev.weir.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks for an event that happens at most once. They run in the order of registration, each
 * exactly once. Confined to one thread at a time; a callback may register others.
 *
 * <pre>
 *   WAITING --run()------> HAS_RUN      later callbacks run at once
 *      `-----discard()---> DISCARDED    later callbacks are dropped
 * </pre>
 */
final class OneTimeCallbacks {
  private enum State {
    WAITING,
    HAS_RUN,
    DISCARDED
  }

  private State state = State.WAITING;

  /** Created by the first registration: most requests register nothing for most events. */
  private @Nullable List<Runnable> callbacks;

  /** Registers a callback, runs it at once when the event has happened, or drops it. */
  void add(Runnable callback) {
    switch (state) {
      case WAITING -> {
        if (callbacks == null) {
          callbacks = new ArrayList<>(2);
        }
        callbacks.add(callback);
      }
      case HAS_RUN -> callback.run();
      case DISCARDED -> {
        // the event cannot happen any more
      }
    }
  }

  /**
   * The event has happened: runs the callbacks.
   *
   * @return false when it had happened before or can't happen any more; nothing runs then
   */
  boolean run() {
    if (state != State.WAITING) {
      return false;
    }
    state = State.HAS_RUN;
    List<Runnable> registered = callbacks;
    callbacks = null;
    if (registered != null) {
      registered.forEach(Runnable::run);
    }
    return true;
  }

  /** The event can't happen any more: drops the callbacks. */
  void discard() {
    if (state == State.WAITING) {
      state = State.DISCARDED;
      callbacks = null;
    }
  }

  boolean haveRun() {
    return state == State.HAS_RUN;
  }
}
