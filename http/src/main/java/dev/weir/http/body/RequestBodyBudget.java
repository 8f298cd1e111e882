package dev.weir.http.body;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import org.jspecify.annotations.Nullable;

/** The body of one request, paid for out of what the request may hold. */
public final class RequestBodyBudget implements BodyBudget {
  private final RequestMemory memory;
  private final BodyBudget parent;
  private @Nullable MemoryRejection refusal;

  /**
   * Makes a budget.
   *
   * @param all bounds the bodies of all requests
   */
  public RequestBodyBudget(RequestMemory memory, BodyBudget all) {
    this.memory = memory;
    this.parent = all;
  }

  /** Why bytes were refused the last time; null while none were. */
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
