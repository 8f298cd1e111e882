package dev.weir.admission.queue;

/**
 * Sets the limit by Little's law: the number of calls in flight that, at the current rate, makes
 * the response time equal the target. The rate is the number of responses in a window of wall-clock
 * time. A lower result applies at once; a higher one raises the limit by a tenth in each window. A
 * window in which the limit was not reached lowers nothing: its rate shows what clients sent, not
 * what the node can do.
 */
final class LittlesLawLimit implements AdaptiveLimit {
  private static final double INCREASE_FACTOR = 0.1;
  private static final double REJECTION_DECREASE_FACTOR = 0.7;

  private final double targetNanos;
  private final QueueSettings.Window window;
  private final QueueSettings.LimitBounds bounds;
  private volatile double limit;

  // guarded by this
  private long windowStartNanos;
  private long lastResponseNanos;
  private int responses;
  private boolean limitReached;
  private boolean counting;

  LittlesLawLimit(
      long targetNanos,
      QueueSettings.Window window,
      QueueSettings.LimitBounds bounds,
      double start) {
    this.targetNanos = (double) targetNanos;
    this.window = window;
    this.bounds = bounds;
    this.limit = bounds.clamp(start);
  }

  @Override
  public double limit() {
    return limit;
  }

  @Override
  public double learnedLimit() {
    return limit;
  }

  @Override
  public synchronized void onFirstCall(long now) {
    if (now - lastResponseNanos > window.maxNanos()) {
      startWindow(now); // it was idle
    }
  }

  private void startWindow(long now) {
    windowStartNanos = now;
    responses = 0;
    limitReached = false;
    counting = true;
  }

  @Override
  public synchronized void onSample(Sample sample, long now) {
    lastResponseNanos = now;
    if (!counting) {
      startWindow(now);
      return;
    }
    responses++;
    limitReached |= sample.inFlight() >= limit - 1;
    long nanos = now - windowStartNanos;
    if (nanos <= 0 || (responses < window.maxRequests() && nanos < window.maxNanos())) {
      return;
    }
    double law = responses * targetNanos / nanos;
    if (law >= limit) {
      limit = bounds.clamp(Math.min(law, limit + Math.max(1, INCREASE_FACTOR * limit)));
    } else if (limitReached) {
      limit = bounds.clamp(law);
    }
    startWindow(now);
  }

  @Override
  public synchronized void onRejection() {
    limit = bounds.clamp(limit * REJECTION_DECREASE_FACTOR);
  }
}
