package dev.weir.admission.pace;

import dev.weir.admission.pace.Claim.Stake;
import dev.weir.model.Deadline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request's way past the rules that it matches: it takes from all their accounts, or from none.
 * Confined to the request's event loop.
 */
public final class Turn {
  private static final Comparator<Stake> BY_LOCK =
      Comparator.comparingLong(stake -> stake.account().number());

  private final List<Claim> binding;
  private final List<Claim> dry;
  private final boolean announced;
  private final Deadline deadline;
  private final LongSupplier nanoClock;
  private final LongAdder waiting;
  private boolean asked;
  private boolean held;
  private boolean over;
  private long goesNanos;

  /**
   * Makes a turn.
   *
   * @param binding what it must take
   * @param dry what it only would
   * @param announced whether the body's length was known from the beginning
   * @param deadline past which it is not held back
   * @param waiting counts those that are held back
   */
  Turn(
      List<Claim> binding,
      List<Claim> dry,
      boolean announced,
      Deadline deadline,
      LongSupplier nanoClock,
      LongAdder waiting) {
    this.binding = binding;
    this.dry = dry;
    this.announced = announced;
    this.deadline = deadline;
    this.nanoClock = nanoClock;
    this.waiting = waiting;
  }

  /** Asks whether the request may go on; again when it was held back for as long as it was told. */
  public Pace ask() {
    long now = nanoClock.getAsLong();
    if (!asked) {
      asked = true;
      return first(now);
    }
    if (!held) {
      return Pace.GO;
    }
    long left = goesNanos - now;
    if (left > 0) {
      return new Pace.Hold(left);
    }
    release();
    return Pace.GO;
  }

  private Pace first(long now) {
    long left = deadline.leftNanos(now);
    for (Claim claim : dry) {
      claim.countDryRun(take(ordered(List.of(claim)), 0, now, left) != null);
    }
    List<Stake> stakes = ordered(binding);
    Stake lacking = take(stakes, 0, now, left);
    if (lacking != null) {
      dry.forEach(claim -> claim.giveBack(now));
      lacking.rule().done().refused.increment();
      return lacking.refusal(now, deadline);
    }
    binding.forEach(Claim::countLetPass);
    long delay = 0;
    for (Stake stake : stakes) {
      delay = Math.max(delay, stake.delayNanos());
    }
    if (delay == 0) {
      return Pace.GO;
    }
    held = true;
    waiting.increment();
    goesNanos = now + delay;
    return new Pace.Hold(delay);
  }

  private static List<Stake> ordered(List<Claim> claims) {
    if (claims.size() == 1 && claims.getFirst().stakes().size() == 1) {
      return claims.getFirst().stakes();
    }
    List<Stake> stakes = new ArrayList<>();
    claims.forEach(claim -> stakes.addAll(claim.stakes()));
    stakes.sort(BY_LOCK);
    return stakes;
  }

  /**
   * Looks at one account after the other, with the locks of those before held, and takes from all
   * when all have enough.
   *
   * @return the first that has not; null when it was taken from all
   */
  private static @Nullable Stake take(List<Stake> stakes, int index, long now, long left) {
    if (index == stakes.size()) {
      stakes.forEach(Stake::take);
      return null;
    }
    Stake stake = stakes.get(index);
    synchronized (stake.account()) {
      return stake.fits(now, left) ? take(stakes, index + 1, now, left) : stake;
    }
  }

  private void release() {
    held = false;
    waiting.decrement();
  }

  /** Bytes of the body came; those that were not announced are paid for now. */
  public void received(long bytes) {
    if (!announced && !over) {
      long now = nanoClock.getAsLong();
      binding.forEach(claim -> claim.owe(bytes, now));
      dry.forEach(claim -> claim.owe(bytes, now));
    }
  }

  /**
   * The request is over, or its client is gone.
   *
   * @param answerBytes that were sent
   */
  public void end(long answerBytes) {
    if (over) {
      return;
    }
    over = true;
    long now = nanoClock.getAsLong();
    if (held) {
      release();
      binding.forEach(claim -> claim.giveBack(now));
      dry.forEach(claim -> claim.giveBack(now));
    } else if (answerBytes > 0) {
      binding.forEach(claim -> claim.answered(answerBytes, now));
      dry.forEach(claim -> claim.answered(answerBytes, now));
    }
    binding.forEach(Claim::leave);
    dry.forEach(Claim::leave);
  }
}
