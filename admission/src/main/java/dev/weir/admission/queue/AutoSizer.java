package dev.weir.admission.queue;

import java.util.function.IntSupplier;

/**
 * Finds the limit without a target: a node gets more while it does not queue, and less while it
 * does. Additive increase, multiplicative decrease, for k threads of the node's pool:
 *
 * <ul>
 *   <li>Where the node reports its queue q: from 2 k; over {@code max(k, 4)} times 0.9, once a
 *       response time; at half of that or less, when the limit was reached, plus {@code min(1, 2 /
 *       limit)}. So its threads never wait for the gateway, and what is sent waits there for about
 *       as long as it works.
 *   <li>Where it does not: from {@code max(32, 8 k)}, by how much longer answers take than on a
 *       node that is not busy: over {@code max(3 R0, 10 ms)} longer, or half of that.
 *   <li>After a refusal times 0.7.
 * </ul>
 *
 * At least {@code max(2, k / 2)} or {@code max(8, 2 k)}. Gateways that share a node so come to
 * share it.
 */
final class AutoSizer implements QueueSizer {
  private static final double BACK = 0.9;
  private static final double BACK_WHEN_REFUSED = 0.7;
  private static final double LEAST_PAUSE_NANOS = 5e6;
  private static final double DELAY_GAIN = 0.1;
  private static final double LEAST_DELAY_NANOS = 10e6;
  private static final double DELAY_TIMES = 3;

  private final IntSupplier threads;
  private final boolean reported;
  private final QueueTerms.Bounds bounds;

  /** 0 while nothing was learned: then it follows the number of threads. */
  private volatile double learned;

  // guarded by this
  private double delayNanos;
  private long shrunkAtNanos;
  private boolean shrunk;

  AutoSizer(IntSupplier threads, boolean reported, QueueTerms.Bounds bounds) {
    this(threads, reported, bounds, 0);
  }

  /**
   * Makes one that goes on from a limit.
   *
   * @param learned the limit; 0 for none
   */
  AutoSizer(IntSupplier threads, boolean reported, QueueTerms.Bounds bounds, double learned) {
    this.threads = threads;
    this.reported = reported;
    this.bounds = bounds;
    this.learned = learned;
  }

  @Override
  public double limit() {
    double limit = learned;
    return bounds.clamp(limit > 0 ? limit : start());
  }

  @Override
  public double learned() {
    return learned;
  }

  private double start() {
    double k = threads.getAsInt();
    return reported ? Math.max(4, 2 * k) : Math.max(32, 8 * k);
  }

  private double least() {
    double k = threads.getAsInt();
    return reported ? Math.max(2, k / 2) : Math.max(8, 2 * k);
  }

  @Override
  public void woken(long now) {
    // what a node does while it has nothing to do says nothing
  }

  @Override
  public void answered(Answer answer, long now) {
    if (reported) {
      if (answer.queue() >= 0) {
        double most = Math.max(4, threads.getAsInt());
        boolean reached = answer.inFlight() >= limit() - 1;
        if (answer.queue() > most || (reached && answer.queue() <= most / 2)) {
          adjust(answer.queue() > most, answer, now);
        }
      }
    } else if (answer.unloadedNanos() > 0) {
      learnDelay(answer, now);
    }
  }

  private synchronized void learnDelay(Answer answer, long now) {
    double least = LEAST_DELAY_NANOS + DELAY_TIMES * answer.unloadedNanos();
    double late = Math.clamp(answer.responseNanos() - answer.unloadedNanos(), 0, 10 * least);
    delayNanos += DELAY_GAIN * (late - delayNanos);
    double most = Math.max(LEAST_DELAY_NANOS, DELAY_TIMES * answer.unloadedNanos());
    if (delayNanos > most && answer.inFlight() > threads.getAsInt()) {
      adjust(true, answer, now);
    } else if (delayNanos < most / 2 && answer.inFlight() >= limit() - 1) {
      adjust(false, answer, now);
    }
  }

  private synchronized void adjust(boolean shrink, Answer answer, long now) {
    double limit = limit();
    if (!shrink) {
      learned = bounds.clamp(limit + Math.min(1, 2 / limit));
    } else if (!shrunk
        || now - shrunkAtNanos > Math.max(LEAST_PAUSE_NANOS, answer.responseNanos())) {
      learned = bounds.clamp(Math.max(least(), limit * BACK));
      shrunkAtNanos = now;
      shrunk = true;
    }
  }

  @Override
  public synchronized void refused() {
    learned = bounds.clamp(Math.max(least(), limit() * BACK_WHEN_REFUSED));
  }
}
