package dev.weir.http.body;

import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;

/** Bounds the memory of all request bodies, in bytes. Safe on any thread; never blocks. */
public interface BodyBudget {

  /** A budget that grants nothing. */
  BodyBudget NONE =
      new BodyBudget() {
        @Override
        public boolean tryCharge(long bytes) {
          return false;
        }

        @Override
        public void release(long bytes) {}

        @Override
        public long used() {
          return 0;
        }

        @Override
        public long limit() {
          return 0;
        }
      };

  /**
   * Charges bytes.
   *
   * @return false, without a charge, when they would exceed the limit
   */
  boolean tryCharge(long bytes);

  /** Returns bytes that were charged. */
  void release(long bytes);

  /** Returns the bytes charged now. */
  long used();

  /** Returns the most bytes that can be charged at once. */
  long limit();

  /**
   * Opens the memory account of one request. The request's body is then charged to that account
   * instead of this budget.
   *
   * @param opaqueId the client's {@code X-Opaque-Id}; empty for none
   */
  default RequestMemory open(
      String method, String uri, String tenant, String opaqueId, RequestPolicy policy) {
    return RequestMemory.UNBOUNDED;
  }
}
