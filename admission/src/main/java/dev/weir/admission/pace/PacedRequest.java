package dev.weir.admission.pace;

import dev.weir.admission.pace.TokenReservation.KeyReservation;
import dev.weir.model.Deadline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request and the rules that it matches: takes tokens from all of them, or from none. Confined
 * to the request's event loop.
 */
public final class PacedRequest {
  private static final Comparator<KeyReservation> BY_LOCK_ORDER =
      Comparator.comparingLong(stake -> stake.buckets().lockOrder());

  private final List<TokenReservation> enforced;
  private final List<TokenReservation> dryRun;
  private final boolean bodyLengthKnown;
  private final Deadline deadline;
  private final LongSupplier nanoClock;
  private final LongAdder delayedRequests;
  private boolean decided;
  private boolean delayed;
  private boolean ended;
  private long proceedAtNanos;

  /**
   * Creates the state of a request.
   *
   * @param binding the rules that it must satisfy
   * @param dry the rules that only count
   * @param announced whether the body's length was known from the start
   * @param deadline past which it is not delayed
   * @param waiting counts delayed requests
   */
  PacedRequest(
      List<TokenReservation> binding,
      List<TokenReservation> dry,
      boolean announced,
      Deadline deadline,
      LongSupplier nanoClock,
      LongAdder waiting) {
    this.enforced = binding;
    this.dryRun = dry;
    this.bodyLengthKnown = announced;
    this.deadline = deadline;
    this.nanoClock = nanoClock;
    this.delayedRequests = waiting;
  }

  /** Decides whether the request goes on. Called again after a delay. */
  public PacingDecision decide() {
    long now = nanoClock.getAsLong();
    if (!decided) {
      decided = true;
      return decideFirst(now);
    }
    if (!delayed) {
      return PacingDecision.PROCEED;
    }
    long left = proceedAtNanos - now;
    if (left > 0) {
      return new PacingDecision.Delay(left);
    }
    release();
    return PacingDecision.PROCEED;
  }

  private PacingDecision decideFirst(long now) {
    long left = deadline.remainingNanos(now);
    for (TokenReservation claim : dryRun) {
      claim.countDryRun(tryConsume(inLockOrder(List.of(claim)), 0, now, left) != null);
    }
    List<KeyReservation> stakes = inLockOrder(enforced);
    KeyReservation lacking = tryConsume(stakes, 0, now, left);
    if (lacking != null) {
      dryRun.forEach(claim -> claim.refund(now));
      lacking.rule().counters().rejected.increment();
      return lacking.toRejection(now, deadline);
    }
    enforced.forEach(TokenReservation::countPassed);
    long delay = 0;
    for (KeyReservation stake : stakes) {
      delay = Math.max(delay, stake.delayNanos());
    }
    if (delay == 0) {
      return PacingDecision.PROCEED;
    }
    delayed = true;
    delayedRequests.increment();
    proceedAtNanos = now + delay;
    return new PacingDecision.Delay(delay);
  }

  private static List<KeyReservation> inLockOrder(List<TokenReservation> claims) {
    if (claims.size() == 1 && claims.getFirst().keyReservations().size() == 1) {
      return claims.getFirst().keyReservations();
    }
    List<KeyReservation> stakes = new ArrayList<>();
    claims.forEach(claim -> stakes.addAll(claim.keyReservations()));
    stakes.sort(BY_LOCK_ORDER);
    return stakes;
  }

  /**
   * Checks one bucket after the other, holding the locks of those before, and takes from all when
   * all suffice.
   *
   * @return the first that does not suffice; null when tokens were taken
   */
  private static @Nullable KeyReservation tryConsume(
      List<KeyReservation> stakes, int index, long now, long left) {
    if (index == stakes.size()) {
      stakes.forEach(KeyReservation::consume);
      return null;
    }
    KeyReservation stake = stakes.get(index);
    synchronized (stake.buckets()) {
      return stake.isAvailable(now, left) ? tryConsume(stakes, index + 1, now, left) : stake;
    }
  }

  private void release() {
    delayed = false;
    delayedRequests.decrement();
  }

  /** Records bytes of the body. Bytes that were not announced are paid for now. */
  public void onBodyReceived(long bytes) {
    if (!bodyLengthKnown && !ended) {
      long now = nanoClock.getAsLong();
      enforced.forEach(claim -> claim.charge(bytes, now));
      dryRun.forEach(claim -> claim.charge(bytes, now));
    }
  }

  /**
   * Ends the request.
   *
   * @param answerBytes bytes of the response that were sent
   */
  public void end(long answerBytes) {
    if (ended) {
      return;
    }
    ended = true;
    long now = nanoClock.getAsLong();
    if (delayed) {
      release();
      enforced.forEach(claim -> claim.refund(now));
      dryRun.forEach(claim -> claim.refund(now));
    } else if (answerBytes > 0) {
      enforced.forEach(claim -> claim.chargeResponse(answerBytes, now));
      dryRun.forEach(claim -> claim.chargeResponse(answerBytes, now));
    }
    enforced.forEach(TokenReservation::release);
    dryRun.forEach(TokenReservation::release);
  }
}
