package dev.weir.http.body;

import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;

/**
 * Bounds the bytes that request bodies hold while they are gathered and worked on. Safe on any
 * thread; never blocks.
 */
public interface BodyBudget {

  /**
   * Takes bytes for a body.
   *
   * @return false, and nothing is taken, when they would exceed the limit
   */
  boolean tryCharge(long bytes);

  /** Gives back bytes that were taken. */
  void release(long bytes);

  /** Bytes taken now. */
  long used();

  /** The most that may be taken at once. */
  long limit();

  /**
   * Opens what one request holds, of which its body is a part; its body is paid for there, and no
   * more here.
   *
   * @param tenant whose request it is
   * @param opaqueId the client's name for it; empty for none
   * @param policy that it goes by
   */
  default RequestMemory open(
      String method, String uri, String tenant, String opaqueId, RequestPolicy policy) {
    return RequestMemory.UNBOUNDED;
  }
}
