package org.opensearch.common.util;

import org.jspecify.annotations.NullMarked;
import org.opensearch.core.common.breaker.CircuitBreaker;

/**
 * Arrays of recycled pages, every change of whose size somebody hears of before it takes place and
 * who may refuse it by an exception; one small object.
 */
@NullMarked
public final class PaidArrays extends BigArrays {
  private final Payer payer;

  /** Hears how the memory of arrays changes. */
  public interface Payer {
    /**
     * Arrays are to take more bytes.
     *
     * @throws org.opensearch.core.common.breaker.CircuitBreakingException when they must not; then
     *     nothing was taken
     */
    void take(long bytes);

    /** Arrays took more bytes already, which are given back in any case. */
    void took(long bytes);

    /** Arrays gave bytes back. */
    void giveBack(long bytes);
  }

  /** Makes arrays of a recycler's pages. */
  public PaidArrays(PageCacheRecycler pages, Payer payer) {
    super(pages, null, CircuitBreaker.REQUEST, true);
    this.payer = payer;
  }

  @Override
  void adjustBreaker(long delta, boolean isDataAlreadyCreated) {
    if (delta < 0) {
      payer.giveBack(-delta);
    } else if (isDataAlreadyCreated) {
      payer.took(delta);
    } else if (delta > 0) {
      payer.take(delta);
    }
  }
}
