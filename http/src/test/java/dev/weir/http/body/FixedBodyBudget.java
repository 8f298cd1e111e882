package dev.weir.http.body;

import java.util.concurrent.atomic.AtomicLong;

/** A budget with one fixed limit for all requests together. */
public final class FixedBodyBudget implements BodyBudget {

  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /**
   * Creates a budget.
   *
   * @param limit in bytes
   */
  public FixedBodyBudget(long limit) {
    this.limit = limit;
  }

  @Override
  public boolean tryCharge(long bytes) {
    if (used.addAndGet(bytes) > limit) {
      used.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  @Override
  public void release(long bytes) {
    used.addAndGet(-bytes);
  }

  @Override
  public long used() {
    return used.get();
  }

  @Override
  public long limit() {
    return limit;
  }
}
