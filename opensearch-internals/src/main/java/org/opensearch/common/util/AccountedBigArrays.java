package org.opensearch.common.util;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.common.breaker.CircuitBreaker;

/**
 * Arrays of recycled pages, every change of whose size somebody hears of before it takes place and
 * who may refuse it by an exception; one small object.
 */
@NullMarked
public final class AccountedBigArrays extends BigArrays {
  private final MemoryAccount account;

  /** Hears how the memory of arrays changes. */
  public interface MemoryAccount {
    /**
     * Arrays are to take more bytes.
     *
     * @throws org.opensearch.core.common.breaker.CircuitBreakingException when they must not; then
     *     nothing was taken
     */
    void reserve(long bytes);

    /** Arrays took more bytes already, which are given back in any case. */
    void onAllocated(long bytes);

    /** Arrays gave bytes back. */
    void release(long bytes);
  }

  /** Makes arrays of a recycler's pages. */
  public AccountedBigArrays(PageCacheRecycler pages, MemoryAccount payer) {
    super(pages, null, CircuitBreaker.REQUEST, true);
    this.account = payer;
  }

  @Override
  void adjustBreaker(long delta, boolean isDataAlreadyCreated) {
    if (delta < 0) {
      account.release(-delta);
    } else if (isDataAlreadyCreated) {
      account.onAllocated(delta);
    } else if (delta > 0) {
      account.reserve(delta);
    }
  }
}
