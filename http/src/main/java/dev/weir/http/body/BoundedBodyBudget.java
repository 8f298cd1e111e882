package dev.weir.http.body;

import dev.weir.model.BoundedCounter;

/** A part of a budget: what it charges counts in both. Safe on any thread; never blocks. */
public final class BoundedBodyBudget implements BodyBudget {
  private final BodyBudget parent;
  private final long limit;
  private final BoundedCounter used = new BoundedCounter();

  /**
   * Creates an unused part.
   *
   * @param limit of this part, in bytes
   */
  public BoundedBodyBudget(BodyBudget parent, long limit) {
    this.parent = parent;
    this.limit = limit;
  }

  @Override
  public boolean tryCharge(long bytes) {
    if (!used.tryAdd(bytes, limit)) {
      return false;
    }
    if (!parent.tryCharge(bytes)) {
      used.subtract(bytes);
      return false;
    }
    return true;
  }

  @Override
  public void release(long bytes) {
    used.subtract(bytes);
    parent.release(bytes);
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
