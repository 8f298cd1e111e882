package dev.weir.bench.simulation;

import java.util.Arrays;

/**
 * A queue of events in virtual time. Runs actions in the order of their times; those of the same
 * time in the order in which they were added.
 */
final class EventSimulator {
  private long[] times = new long[1 << 12];
  private long[] orders = new long[1 << 12];
  private Runnable[] actions = new Runnable[1 << 12];
  private int size;
  private long added;
  private long nowNanos;

  /** Converts seconds to nanoseconds. */
  static long seconds(double seconds) {
    return (long) (seconds * 1e9);
  }

  /** Returns the current virtual time in nanoseconds. */
  long nowNanos() {
    return nowNanos;
  }

  /** Schedules an action at a time; a time in the past means now. */
  void schedule(long nanos, Runnable action) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      orders = Arrays.copyOf(orders, 2 * size);
      actions = Arrays.copyOf(actions, 2 * size);
    }
    long time = Math.max(nowNanos, nanos);
    long order = added++;
    int i = size++;
    while (i > 0 && isBefore(time, order, (i - 1) / 2)) {
      move((i - 1) / 2, i);
      i = (i - 1) / 2;
    }
    put(i, time, order, action);
  }

  void scheduleAfter(long nanos, Runnable action) {
    schedule(nowNanos + nanos, action);
  }

  /** Runs all events up to a time. */
  void run(long until) {
    while (size > 0 && times[0] <= until) {
      nowNanos = times[0];
      Runnable first = actions[0];
      removeFirst();
      first.run();
    }
  }

  private void removeFirst() {
    int last = --size;
    long time = times[last];
    long order = orders[last];
    Runnable action = actions[last];
    int i = 0;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && isBefore(times[child + 1], orders[child + 1], child)) {
        child++;
      }
      if (isBefore(time, order, child)) {
        break;
      }
      move(child, i);
      i = child;
    }
    put(i, time, order, action);
  }

  private boolean isBefore(long time, long order, int than) {
    return time < times[than] || (time == times[than] && order < orders[than]);
  }

  private void move(int from, int to) {
    put(to, times[from], orders[from], actions[from]);
  }

  private void put(int i, long time, long order, Runnable action) {
    times[i] = time;
    orders[i] = order;
    actions[i] = action;
  }
}
