package dev.weir.admission.queue;

import java.util.function.IntSupplier;

/**
 * Adapts the limit without a target: raises it while the node does not queue, and lowers it while
 * it does. Additive increase, multiplicative decrease, for k threads of the node's pool:
 *
 * <ul>
 *   <li>The node reports its queue q: starts from {@code max(4, 2 k)}. Multiplies by 0.9, at most
 *       once in a response time, when {@code q > max(k, 4)}. Adds {@code min(1, 2 / limit)} when q
 *       is at most half of that and the limit was reached. The node's threads then never wait for
 *       the gateway, and calls wait there for about as long as they run.
 *   <li>The node reports none: starts from {@code max(32, 8 k)}, and compares by how much responses
 *       take longer than on an unloaded node (R0). Lowers the limit above {@code max(3 R0, 10 ms)},
 *       and raises it below half of that.
 *   <li>After a rejection by the node: multiplies by 0.7, once for calls that were in flight
 *       together.
 * </ul>
 *
 * The limit is at least {@code max(2, k / 2)} with a reported queue, else {@code max(8, 2 k)}.
 * Gateways that share a node converge to equal shares of it.
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

  /** The learned limit; 0 before the first sample, when the limit follows the number of threads. */
  private volatile double learned;

  // guarded by this
  private double delayNanos;
  private long decreasedAtNanos;
  private boolean decreased;
  private final RejectionRounds rejectionRounds = new RejectionRounds();

  AimdLimit(IntSupplier threads, boolean reported, QueueSettings.LimitBounds bounds) {
    this(threads, reported, bounds, 0);
  }

  /**
   * Creates a limit that continues from a learned one.
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
    // an idle node shows nothing about its capacity
  }

  @Override
  public void onSample(Sample sample, long now) {
    if (queueReported) {
      if (sample.queueSize() >= 0) {
        double threshold = Math.max(4, threads.getAsInt());
        boolean reached = sample.inFlight() >= limit() - 1;
        if (sample.queueSize() > threshold || (reached && sample.queueSize() <= threshold / 2)) {
          adjust(sample.queueSize() > threshold, sample, now);
        }
      }
    } else if (sample.unloadedNanos() > 0) {
      learnDelay(sample, now);
    }
  }

  private synchronized void learnDelay(Sample sample, long now) {
    double least = MIN_DELAY_NANOS + DELAY_FACTOR * sample.unloadedNanos();
    double delay = Math.clamp(sample.responseNanos() - sample.unloadedNanos(), 0, 10 * least);
    delayNanos += DELAY_GAIN * (delay - delayNanos);
    double threshold = Math.max(MIN_DELAY_NANOS, DELAY_FACTOR * sample.unloadedNanos());
    if (delayNanos > threshold && sample.inFlight() > threads.getAsInt()) {
      adjust(true, sample, now);
    } else if (delayNanos < threshold / 2 && sample.inFlight() >= limit() - 1) {
      adjust(false, sample, now);
    }
  }

  private synchronized void adjust(boolean shrink, Sample sample, long now) {
    double limit = limit();
    if (!shrink) {
      learned = bounds.clamp(limit + Math.min(1, 2 / limit));
    } else if (!decreased
        || now - decreasedAtNanos > Math.max(MIN_DECREASE_INTERVAL_NANOS, sample.responseNanos())) {
      learned = bounds.clamp(Math.max(minLimit(), limit * DECREASE_FACTOR));
      decreasedAtNanos = now;
      decreased = true;
    }
  }

  @Override
  public synchronized void onRejection(long sentNanos, long now) {
    if (rejectionRounds.startRound(sentNanos, now)) {
      learned = bounds.clamp(Math.max(minLimit(), limit() * REJECTION_DECREASE_FACTOR));
    }
  }
}
