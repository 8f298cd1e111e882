package dev.weir.admission.queue;

/**
 * Sets the limit by Little's law (Little, 1961): the number of calls in flight that, at the current
 * rate, makes the mean response time equal the target. The rate is the number of responses in a
 * window of wall-clock time. A window lasts for a tenth of its longest time at least, so that a
 * burst of responses that arrive together is not taken for a rate that the node can keep up. Then a
 * limit set in one step does not exceed the target. A window in which the limit was not reached
 * lowers nothing: its rate shows what clients sent, not what the node can do.
 *
 * <p>Requests for several nodes may exceed the limit by a quarter, and a limit of 7.5 lets 8 calls
 * go. The mean number of calls in flight, by the same law the rate times the mean response time,
 * shows by how much. The limit is that much lower.
 */
final class LittlesLawLimit implements AdaptiveLimit {
  private static final double MAX_OVERSHOOT = 1.5;
  private static final int MIN_WINDOW_DIVISOR = 10;
  private static final double REJECTION_DECREASE_FACTOR = 0.7;

  private final double targetNanos;
  private final QueueSettings.Window window;
  private final QueueSettings.LimitBounds bounds;
  private volatile double limit;

  // guarded by this
  private long windowStartNanos;
  private long lastResponseNanos;
  private int responses;
  private double responseNanos;
  private boolean limitReached;
  private boolean counting;
  private final RejectionRounds rejectionRounds = new RejectionRounds();

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
    responseNanos = 0;
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
    responseNanos += sample.responseNanos();
    limitReached |= sample.inFlight() >= limit - 1;
    long nanos = now - windowStartNanos;
    if (nanos <= window.maxNanos() / MIN_WINDOW_DIVISOR
        || (responses < window.maxRequests() && nanos < window.maxNanos())) {
      return;
    }
    double overshoot =
        limitReached ? Math.clamp(responseNanos / nanos / limit, 1, MAX_OVERSHOOT) : 1;
    double law = responses * targetNanos / nanos / overshoot;
    if (law >= limit || limitReached) {
      limit = bounds.clamp(law);
    }
    startWindow(now);
  }

  @Override
  public synchronized void onRejection(long sentNanos, long now) {
    if (rejectionRounds.startRound(sentNanos, now)) {
      limit = bounds.clamp(limit * REJECTION_DECREASE_FACTOR);
    }
  }
}
