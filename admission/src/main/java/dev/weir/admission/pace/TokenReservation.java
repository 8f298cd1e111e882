package dev.weir.admission.pace;

import dev.weir.model.Deadline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that one request takes under one rule: the same number from the buckets of each of its
 * keys.
 */
final class TokenReservation {
  private final ActivePacingRule rule;
  private final List<KeyReservation> keyReservations;

  private TokenReservation(ActivePacingRule rule, List<KeyReservation> stakes) {
    this.rule = rule;
    this.keyReservations = stakes;
  }

  /**
   * Creates a reservation that holds no tokens yet.
   *
   * @param keys the keys that the request counts under
   * @param bodyBytes as announced; 0 for none, negative when unknown
   */
  static TokenReservation create(ActivePacingRule rule, List<String> keys, long bodyBytes) {
    double bytes =
        bodyBytes == 0 && !rule.policy().countResponseBytes() ? -1 : Math.max(0, bodyBytes);
    List<KeyReservation> stakes = new ArrayList<>(keys.size());
    for (String key : keys) {
      stakes.add(new KeyReservation(rule, rule.keyBuckets().acquire(key), bytes));
    }
    return new TokenReservation(rule, stakes);
  }

  List<KeyReservation> keyReservations() {
    return keyReservations;
  }

  /** Returns the delay of the request by this rule, in nanoseconds. */
  private long delayNanos() {
    long delay = 0;
    for (KeyReservation reservation : keyReservations) {
      delay = Math.max(delay, reservation.delayNanos());
    }
    return delay;
  }

  void countPassed() {
    long delay = delayNanos();
    ActivePacingRule.Counters done = rule.counters();
    if (delay == 0) {
      done.passed.increment();
    } else {
      done.delayed.increment();
      done.delayNanos.add(delay);
    }
  }

  void countDryRun(boolean refused) {
    ActivePacingRule.Counters done = rule.counters();
    (refused ? done.dryRunRejected : delayNanos() == 0 ? done.dryRunPassed : done.dryRunDelayed)
        .increment();
  }

  void charge(long bytes, long now) {
    keyReservations.forEach(reservation -> reservation.charge(bytes, now));
  }

  void chargeResponse(long bytes, long now) {
    if (rule.policy().countResponseBytes()) {
      charge(bytes, now);
    }
  }

  void refund(long now) {
    keyReservations.forEach(reservation -> reservation.refund(now));
  }

  void release() {
    keyReservations.forEach(reservation -> reservation.buckets().release());
  }

  /** The tokens that a request takes from the buckets of one key. */
  static final class KeyReservation {
    private final ActivePacingRule rule;
    private final KeyBuckets buckets;
    private final double bytes;
    private long delay;
    private boolean consumed;
    private GcraBucket.@Nullable Consumption requestConsumption;
    private GcraBucket.@Nullable Consumption byteConsumption;

    /**
     * Creates a reservation from one key's buckets.
     *
     * @param bytes of the body; 0 when its length is unknown or response bytes count; negative when
     *     no bytes count
     */
    private KeyReservation(ActivePacingRule rule, KeyBuckets account, double bytes) {
      this.rule = rule;
      this.buckets = account;
      this.bytes = bytes;
    }

    ActivePacingRule rule() {
      return rule;
    }

    KeyBuckets buckets() {
      return buckets;
    }

    /** Returns the delay by the buckets at the last check, in nanoseconds. */
    long delayNanos() {
      return delay;
    }

    /**
     * Returns whether the tokens are available, or will be within the allowed delay. Called with
     * the buckets' lock held.
     *
     * @param leftNanos the time until the request's deadline
     */
    boolean isAvailable(long now, long leftNanos) {
      GcraBucket requestsLeft = buckets.requests();
      GcraBucket bytesLeft = buckets.bytes();
      delay = requestsLeft == null ? 0 : requestsLeft.delayNanos(1, now);
      if (bytesLeft != null && bytes >= 0) {
        delay = Math.max(delay, bytesLeft.delayNanos(bytes, now));
      }
      return delay == 0 || (delay <= maxDelayNanos() && delay < leftNanos);
    }

    private long maxDelayNanos() {
      return rule.policy().maxDelay().toNanos();
    }

    /** Takes the tokens. Called with the buckets' lock held. */
    void consume() {
      GcraBucket requestsLeft = buckets.requests();
      GcraBucket bytesLeft = buckets.bytes();
      consumed = true;
      requestConsumption = requestsLeft == null ? null : requestsLeft.consume(1);
      byteConsumption = bytesLeft == null || bytes <= 0 ? null : bytesLeft.consume(bytes);
    }

    PacingDecision.Rejected toRejection(long now, Deadline deadline) {
      GcraBucket requestsLeft = buckets.requests();
      GcraBucket bytesLeft = buckets.bytes();
      boolean byRequests;
      synchronized (buckets) {
        byRequests =
            bytesLeft == null
                || bytes < 0
                || (requestsLeft != null
                    && requestsLeft.delayNanos(1, now) >= bytesLeft.delayNanos(bytes, now));
      }
      GcraBucket low = byRequests ? requestsLeft : bytesLeft;
      long left = Math.max(0, deadline.remainingNanos(now));
      boolean tooLate = left < maxDelayNanos();
      return new PacingDecision.Rejected(
          rule.policy().name(),
          buckets.key(),
          new PacingDecision.Rate(
              byRequests ? "requests" : "bytes",
              low == null ? 0 : low.perSecond(),
              low == null ? 0 : low.burst()),
          delay,
          tooLate ? left : maxDelayNanos(),
          tooLate ? deadline : Deadline.NONE);
    }

    void charge(long amount, long now) {
      GcraBucket bytesLeft = buckets.bytes();
      if (bytesLeft != null && consumed) {
        synchronized (buckets) {
          bytesLeft.forceConsume((double) amount, now);
        }
      }
    }

    void refund(long now) {
      GcraBucket requestsLeft = buckets.requests();
      GcraBucket bytesLeft = buckets.bytes();
      consumed = false;
      synchronized (buckets) {
        if (requestsLeft != null && requestConsumption != null) {
          requestsLeft.refund(requestConsumption, now);
        }
        if (bytesLeft != null && byteConsumption != null) {
          bytesLeft.refund(byteConsumption, now);
        }
      }
    }
  }
}
