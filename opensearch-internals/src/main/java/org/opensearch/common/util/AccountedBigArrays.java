package org.opensearch.common.util;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.common.breaker.CircuitBreaker;

/**
 * Arrays of recycled pages that report every change of their size to an account before it happens.
 * The account may refuse it by an exception. The object itself is small.
 */
@NullMarked
public final class AccountedBigArrays extends BigArrays {
  private final MemoryAccount account;

  /** Receives the changes of the arrays' memory. */
  public interface MemoryAccount {
    /**
     * Reserves bytes for an array.
     *
     * @throws org.opensearch.core.common.breaker.CircuitBreakingException if they are not
     *     available; then nothing is reserved
     */
    void reserve(long bytes);

    /** Records bytes that an array has allocated already; they are released in any case. */
    void onAllocated(long bytes);

    /** Releases bytes of an array. */
    void release(long bytes);
  }

  /** Creates arrays from a recycler's pages. */
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
