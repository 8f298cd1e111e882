package dev.weir.gateway.parse;

import dev.weir.protocol.FrameBudget;
import java.util.concurrent.atomic.AtomicLong;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.util.PageCacheRecycler;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.indices.breaker.AllCircuitBreakerStats;
import org.opensearch.core.indices.breaker.CircuitBreakerService;
import org.opensearch.core.indices.breaker.CircuitBreakerStats;

/**
 * The recycled pages that answers are written into, paid for by the budget that pays for the nodes'
 * answers: what is written is about as large as what was received. Safe on any thread.
 */
final class AnswerPages {
  private AnswerPages() {}

  /** Pages that throw CircuitBreakingException, a 429, where the budget does not pay for more. */
  static BigArrays paidBy(FrameBudget budget, Settings settings) {
    return new BigArrays(
            new PageCacheRecycler(settings), new Service(new Breaker(budget)), Breaker.NAME)
        .withCircuitBreaking();
  }

  private static final class Breaker extends NoopCircuitBreaker {
    static final String NAME = CircuitBreaker.REQUEST;

    private final FrameBudget budget;

    /** Bytes that were taken although the budget refused them, to be given back elsewhere. */
    private final AtomicLong unpaid = new AtomicLong();

    Breaker(FrameBudget budget) {
      super(NAME);
      this.budget = budget;
    }

    @Override
    public double addEstimateBytesAndMaybeBreak(long bytes, String label)
        throws CircuitBreakingException {
      Exception refused = budget.reserve(bytes);
      if (refused instanceof CircuitBreakingException broken) {
        throw broken;
      } else if (refused != null) {
        throw new CircuitBreakingException(
            String.valueOf(refused.getMessage()), Durability.TRANSIENT);
      }
      return 0;
    }

    @Override
    public long addWithoutBreaking(long bytes) {
      if (bytes < 0) {
        giveBack(-bytes);
      } else if (budget.reserve(bytes) != null) {
        unpaid.addAndGet(bytes);
      }
      return 0;
    }

    private void giveBack(long bytes) {
      long owed = unpaid.getAndUpdate(now -> Math.max(0, now - bytes));
      long paid = bytes - Math.min(owed, bytes);
      if (paid > 0) {
        budget.release(paid);
      }
    }
  }

  private static final class Service extends CircuitBreakerService {
    private final CircuitBreaker breaker;

    Service(CircuitBreaker breaker) {
      this.breaker = breaker;
    }

    @Override
    public CircuitBreaker getBreaker(String name) {
      return breaker;
    }

    @Override
    public AllCircuitBreakerStats stats() {
      return new AllCircuitBreakerStats(new CircuitBreakerStats[0]);
    }

    @Override
    public CircuitBreakerStats stats(String name) {
      return new CircuitBreakerStats(name, 0, 0, 1, 0);
    }
  }
}
