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
final class AimdLimit implements AdaptiveLimit {
  private static final double DECREASE_FACTOR = 0.9;
  private static final double REJECTION_DECREASE_FACTOR = 0.7;
  private static final double MIN_DECREASE_INTERVAL_NANOS = 5e6;
  private static final double DELAY_GAIN = 0.1;
  private static final double MIN_DELAY_NANOS = 10e6;
  private static final double DELAY_FACTOR = 3;

  private final IntSupplier threads;
  private final boolean queueReported;
  private final QueueSettings.LimitBounds bounds;

  /** 0 while nothing was learned: then it follows the number of threads. */
  private volatile double learned;

  // guarded by this
  private double delayNanos;
  private long decreasedAtNanos;
  private boolean decreased;

  AimdLimit(IntSupplier threads, boolean reported, QueueSettings.LimitBounds bounds) {
    this(threads, reported, bounds, 0);
  }

  /**
   * Makes one that goes on from a limit.
   *
   * @param learned the limit; 0 for none
   */
  AimdLimit(
      IntSupplier threads, boolean reported, QueueSettings.LimitBounds bounds, double learned) {
    this.threads = threads;
    this.queueReported = reported;
    this.bounds = bounds;
    this.learned = learned;
  }

  @Override
  public double limit() {
    double limit = learned;
    return bounds.clamp(limit > 0 ? limit : initialLimit());
  }

  @Override
  public double learnedLimit() {
    return learned;
  }

  private double initialLimit() {
    double k = threads.getAsInt();
    return queueReported ? Math.max(4, 2 * k) : Math.max(32, 8 * k);
  }

  private double minLimit() {
    double k = threads.getAsInt();
    return queueReported ? Math.max(2, k / 2) : Math.max(8, 2 * k);
  }

  @Override
  public void onFirstCall(long now) {
    // what a node does while it has nothing to do says nothing
  }

  @Override
  public void onSample(Sample answer, long now) {
    if (queueReported) {
      if (answer.queueSize() >= 0) {
        double most = Math.max(4, threads.getAsInt());
        boolean reached = answer.inFlight() >= limit() - 1;
        if (answer.queueSize() > most || (reached && answer.queueSize() <= most / 2)) {
          adjust(answer.queueSize() > most, answer, now);
        }
      }
    } else if (answer.unloadedNanos() > 0) {
      learnDelay(answer, now);
    }
  }

  private synchronized void learnDelay(Sample answer, long now) {
    double least = MIN_DELAY_NANOS + DELAY_FACTOR * answer.unloadedNanos();
    double late = Math.clamp(answer.responseNanos() - answer.unloadedNanos(), 0, 10 * least);
    delayNanos += DELAY_GAIN * (late - delayNanos);
    double most = Math.max(MIN_DELAY_NANOS, DELAY_FACTOR * answer.unloadedNanos());
    if (delayNanos > most && answer.inFlight() > threads.getAsInt()) {
      adjust(true, answer, now);
    } else if (delayNanos < most / 2 && answer.inFlight() >= limit() - 1) {
      adjust(false, answer, now);
    }
  }

  private synchronized void adjust(boolean shrink, Sample answer, long now) {
    double limit = limit();
    if (!shrink) {
      learned = bounds.clamp(limit + Math.min(1, 2 / limit));
    } else if (!decreased
        || now - decreasedAtNanos > Math.max(MIN_DECREASE_INTERVAL_NANOS, answer.responseNanos())) {
      learned = bounds.clamp(Math.max(minLimit(), limit * DECREASE_FACTOR));
      decreasedAtNanos = now;
      decreased = true;
    }
  }

  @Override
  public synchronized void onRejection() {
    learned = bounds.clamp(Math.max(minLimit(), limit() * REJECTION_DECREASE_FACTOR));
  }
}
