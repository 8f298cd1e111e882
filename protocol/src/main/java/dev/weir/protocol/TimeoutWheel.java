package dev.weir.protocol;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The timeouts of one event loop's calls: a hashed wheel of linked lists, so that setting and
 * clearing one costs a few writes and no memory. It fires up to one tick late, never early. One
 * timer of the event loop serves all; without pending entries it fires once more at most. Confined
 * to the event loop and its ticker.
 */
@SuppressWarnings("ReferenceEquality") // entries are linked list nodes
final class TimeoutWheel {
  /** An entry that may time out. In at most one wheel, at most once. */
  abstract static class Timeout {
    private @Nullable Timeout previous;
    private @Nullable Timeout next;
    private long dueTick = NONE;

    /** Called on the event loop at the timeout; the entry is no longer in the wheel. */
    abstract void onTimeout();
  }

  static final long TICK_NANOS = 10_000_000;
  private static final int SLOTS = 512;
  private static final long NONE = -1;

  private final EventExecutor loop;
  private final Timeout[] slots = new Timeout[SLOTS];
  private final Timeout due = head();
  private final long startNanos;
  private long doneTick;
  private int size;
  private long wakeTick = NONE;
  private @Nullable ScheduledFuture<?> wake;

  TimeoutWheel(EventExecutor loop) {
    this.loop = loop;
    this.startNanos = loop.ticker().nanoTime();
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = head();
    }
  }

  /** Returns the number of pending entries. */
  int size() {
    return size;
  }

  /** Sets a timeout in {@code nanos} from now; at least one tick. */
  void add(Timeout entry, long nanos) {
    long now = loop.ticker().nanoTime() - startNanos;
    if (size == 0) {
      doneTick = Math.max(doneTick, now / TICK_NANOS);
    }
    long tick = (saturatedAdd(now, Math.max(1, nanos)) - 1) / TICK_NANOS + 1;
    entry.dueTick = Math.max(doneTick + 1, tick);
    link(entry, slots[slot(entry.dueTick)]);
    size++;
    wakeAt(Math.min(entry.dueTick, doneTick + SLOTS), now);
  }

  /** Clears a timeout; does nothing if it is not set. */
  void remove(Timeout entry) {
    if (entry.dueTick == NONE) {
      return;
    }
    unlink(entry);
    entry.dueTick = NONE;
    size--;
  }

  private void wakeAt(long tick, long now) {
    if (wakeTick != NONE && wakeTick <= tick) {
      return;
    }
    if (wake != null) {
      wake.cancel(false);
    }
    wakeTick = tick;
    wake = loop.schedule(this::advance, tick * TICK_NANOS - now, TimeUnit.NANOSECONDS);
  }

  private void advance() {
    wake = null;
    wakeTick = NONE;
    long now = loop.ticker().nanoTime() - startNanos;
    long nowTick = now / TICK_NANOS;
    long first = Math.max(doneTick + 1, nowTick - SLOTS + 1);
    doneTick = Math.max(doneTick, nowTick);
    for (long tick = first; tick <= nowTick && size > 0; tick++) {
      gatherDue(slots[slot(tick)], nowTick);
    }
    while (due.next != due && due.next != null) {
      Timeout entry = due.next;
      remove(entry);
      entry.onTimeout();
    }
    if (size > 0) {
      long next = doneTick + 1;
      while (isEmpty(slots[slot(next)])) {
        next++;
      }
      wakeAt(next, now);
    }
  }

  /**
   * Moves the due entries to a separate list, because their callbacks may add and remove entries.
   */
  private void gatherDue(Timeout head, long nowTick) {
    Timeout entry = head.next;
    while (entry != null && entry != head) {
      Timeout next = entry.next;
      if (entry.dueTick <= nowTick) {
        unlink(entry);
        link(entry, due);
      }
      entry = next;
    }
  }

  private static void link(Timeout entry, Timeout head) {
    Timeout last = head.previous;
    entry.previous = last;
    entry.next = head;
    if (last != null) {
      last.next = entry;
    }
    head.previous = entry;
  }

  private static void unlink(Timeout entry) {
    Timeout before = entry.previous;
    Timeout after = entry.next;
    if (before != null && after != null) {
      before.next = after;
      after.previous = before;
    }
    entry.previous = null;
    entry.next = null;
  }

  private static boolean isEmpty(Timeout head) {
    return head.next == head;
  }

  private static int slot(long tick) {
    return (int) (tick & (SLOTS - 1));
  }

  private static long saturatedAdd(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  private static Timeout head() {
    Timeout head =
        new Timeout() {
          @Override
          void onTimeout() {
            throw new AssertionError("the head of a list is never due");
          }
        };
    head.previous = head;
    head.next = head;
    return head;
  }
}
