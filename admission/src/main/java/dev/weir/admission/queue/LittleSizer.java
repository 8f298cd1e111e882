package dev.weir.admission.queue;

/**
 * Little's law: of what comes at a rate, so much is under way that the response time is the target.
 * The rate is what the node answered in a frame, by the clock on the wall. Where the law asks for
 * less the limit is set at once, where it asks for more it grows by a tenth a frame. A frame in
 * which the limit was never reached tells what clients wanted and not what the node can do: it
 * shrinks nothing.
 */
final class LittleSizer implements QueueSizer {
  private static final double GROWTH = 0.1;
  private static final double BACK_WHEN_REFUSED = 0.7;

  private final double targetNanos;
  private final QueueTerms.Frame frame;
  private final QueueTerms.Bounds bounds;
  private volatile double limit;

  // guarded by this
  private long fromNanos;
  private long answeredNanos;
  private int answers;
  private boolean reached;
  private boolean counting;

  LittleSizer(long targetNanos, QueueTerms.Frame frame, QueueTerms.Bounds bounds, double start) {
    this.targetNanos = (double) targetNanos;
    this.frame = frame;
    this.bounds = bounds;
    this.limit = bounds.clamp(start);
  }

  @Override
  public double limit() {
    return limit;
  }

  @Override
  public double learned() {
    return limit;
  }

  @Override
  public synchronized void woken(long now) {
    if (now - answeredNanos > frame.nanos()) {
      begin(now); // it was idle
    }
  }

  private void begin(long now) {
    fromNanos = now;
    answers = 0;
    reached = false;
    counting = true;
  }

  @Override
  public synchronized void answered(Answer answer, long now) {
    answeredNanos = now;
    if (!counting) {
      begin(now);
      return;
    }
    answers++;
    reached |= answer.inFlight() >= limit - 1;
    long nanos = now - fromNanos;
    if (nanos <= 0 || (answers < frame.tasks() && nanos < frame.nanos())) {
      return;
    }
    double law = answers * targetNanos / nanos;
    if (law >= limit) {
      limit = bounds.clamp(Math.min(law, limit + Math.max(1, GROWTH * limit)));
    } else if (reached) {
      limit = bounds.clamp(law);
    }
    begin(now);
  }

  @Override
  public synchronized void refused() {
    limit = bounds.clamp(limit * BACK_WHEN_REFUSED);
  }
}
