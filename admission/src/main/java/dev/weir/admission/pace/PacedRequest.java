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
 * One request under the rules that match it: takes tokens from all of them or from none. Confined
 * to the request's event loop.
 */
public final class PacedRequest {
  private static final Comparator<KeyReservation> BY_LOCK_ORDER =
      Comparator.comparingLong(keyReservation -> keyReservation.buckets().lockOrder());

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
   * @param binding the rules that are enforced
   * @param dry the rules that only count
   * @param announced whether the body's length was known from the start
   * @param deadline past which the request is not delayed
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

  /** Decides whether the request proceeds. Called again after a delay. */
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
    for (TokenReservation reservation : dryRun) {
      reservation.countDryRun(tryConsume(inLockOrder(List.of(reservation)), 0, now, left) != null);
    }
    List<KeyReservation> keyReservations = inLockOrder(enforced);
    KeyReservation unavailable = tryConsume(keyReservations, 0, now, left);
    if (unavailable != null) {
      dryRun.forEach(reservation -> reservation.refund(now));
      unavailable.rule().counters().rejected.increment();
      return unavailable.toRejection(now, deadline);
    }
    enforced.forEach(TokenReservation::countPassed);
    long delay = 0;
    for (KeyReservation keyReservation : keyReservations) {
      delay = Math.max(delay, keyReservation.delayNanos());
    }
    if (delay == 0) {
      return PacingDecision.PROCEED;
    }
    delayed = true;
    delayedRequests.increment();
    proceedAtNanos = now + delay;
    return new PacingDecision.Delay(delay);
  }

  private static List<KeyReservation> inLockOrder(List<TokenReservation> reservations) {
    if (reservations.size() == 1 && reservations.getFirst().keyReservations().size() == 1) {
      return reservations.getFirst().keyReservations();
    }
    List<KeyReservation> keyReservations = new ArrayList<>();
    reservations.forEach(reservation -> keyReservations.addAll(reservation.keyReservations()));
    keyReservations.sort(BY_LOCK_ORDER);
    return keyReservations;
  }

  /**
   * Checks the buckets one after the other, holding the locks of all earlier ones, and takes tokens
   * from all if all suffice.
   *
   * @return the first reservation that can't be met; null if tokens were taken
   */
  private static @Nullable KeyReservation tryConsume(
      List<KeyReservation> keyReservations, int index, long now, long left) {
    if (index == keyReservations.size()) {
      keyReservations.forEach(KeyReservation::consume);
      return null;
    }
    KeyReservation keyReservation = keyReservations.get(index);
    synchronized (keyReservation.buckets()) {
      return keyReservation.isAvailable(now, left)
          ? tryConsume(keyReservations, index + 1, now, left)
          : keyReservation;
    }
  }

  private void release() {
    delayed = false;
    delayedRequests.decrement();
  }

  /**
   * Records received bytes of the body. If the body's length was not announced, takes tokens for
   * them now.
   */
  public void onBodyReceived(long bytes) {
    if (!bodyLengthKnown && !ended) {
      long now = nanoClock.getAsLong();
      enforced.forEach(reservation -> reservation.charge(bytes, now));
      dryRun.forEach(reservation -> reservation.charge(bytes, now));
    }
  }

  /**
   * Ends the request.
   *
   * @param responseBytes bytes of the response that were sent
   */
  public void end(long responseBytes) {
    if (ended) {
      return;
    }
    ended = true;
    long now = nanoClock.getAsLong();
    if (delayed) {
      release();
      enforced.forEach(reservation -> reservation.refund(now));
      dryRun.forEach(reservation -> reservation.refund(now));
    } else if (responseBytes > 0) {
      enforced.forEach(reservation -> reservation.chargeResponse(responseBytes, now));
      dryRun.forEach(reservation -> reservation.chargeResponse(responseBytes, now));
    }
    enforced.forEach(TokenReservation::release);
    dryRun.forEach(TokenReservation::release);
  }
}
