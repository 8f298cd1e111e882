package dev.weir.http.body;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import org.jspecify.annotations.Nullable;

/** Charges the body of one request to the request's memory account. */
public final class RequestBodyBudget implements BodyBudget {
  private final RequestMemory memory;
  private final BodyBudget parent;
  private @Nullable MemoryRejection refusal;

  /**
   * Creates a budget.
   *
   * @param all the budget of all bodies; gives {@link #used} and {@link #limit}
   */
  public RequestBodyBudget(RequestMemory memory, BodyBudget all) {
    this.memory = memory;
    this.parent = all;
  }

  /** Returns why the last charge was refused; null when it was not. */
  @Nullable MemoryRejection refusal() {
    return refusal;
  }

  @Override
  public boolean tryCharge(long bytes) {
    refusal = memory.reserve(Category.BODY, bytes);
    return refusal == null;
  }

  @Override
  public void release(long bytes) {
    memory.release(Category.BODY, bytes);
  }

  @Override
  public long used() {
    return parent.used();
  }

  @Override
  public long limit() {
    return parent.limit();
  }
}
