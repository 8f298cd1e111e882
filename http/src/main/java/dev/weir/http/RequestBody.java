package dev.weir.http;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Item;
import org.jspecify.annotations.Nullable;

/** The body of one request, paid for out of what the request may hold. */
final class RequestBody implements BodyBudget {
  private final RequestMemory memory;
  private final BodyBudget all;
  private @Nullable MemoryRefusal refusal;

  /**
   * Makes a budget.
   *
   * @param all bounds the bodies of all requests
   */
  RequestBody(RequestMemory memory, BodyBudget all) {
    this.memory = memory;
    this.all = all;
  }

  /** Why bytes were refused the last time; null while none were. */
  @Nullable MemoryRefusal refusal() {
    return refusal;
  }

  @Override
  public boolean tryCharge(long bytes) {
    refusal = memory.take(Item.BODY, bytes);
    return refusal == null;
  }

  @Override
  public void release(long bytes) {
    memory.giveBack(Item.BODY, bytes);
  }

  @Override
  public long used() {
    return all.used();
  }

  @Override
  public long limit() {
    return all.limit();
  }
}
