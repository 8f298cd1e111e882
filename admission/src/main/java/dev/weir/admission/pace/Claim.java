package dev.weir.admission.pace;

import dev.weir.model.Deadline;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one request takes by one rule: as much from the account of each of its keys. */
final class Claim {
  private final PacedRule rule;
  private final List<Stake> stakes;

  private Claim(PacedRule rule, List<Stake> stakes) {
    this.rule = rule;
    this.stakes = stakes;
  }

  /**
   * Makes a claim.
   *
   * @param keys what the request is counted under
   * @param bodyBytes as announced; 0 for none, negative when unknown
   */
  static Claim of(PacedRule rule, List<String> keys, long bodyBytes) {
    double bytes = bodyBytes == 0 && !rule.policy().countAnswers() ? -1 : Math.max(0, bodyBytes);
    List<Stake> stakes = new ArrayList<>(keys.size());
    for (String key : keys) {
      stakes.add(new Stake(rule, rule.accounts().use(key), bytes));
    }
    return new Claim(rule, stakes);
  }

  List<Stake> stakes() {
    return stakes;
  }

  /** For how long the rule holds the request back, in nanoseconds. */
  private long delayNanos() {
    long delay = 0;
    for (Stake stake : stakes) {
      delay = Math.max(delay, stake.delayNanos());
    }
    return delay;
  }

  void countLetPass() {
    long delay = delayNanos();
    PacedRule.Done done = rule.done();
    if (delay == 0) {
      done.passed.increment();
    } else {
      done.delayed.increment();
      done.delayNanos.add(delay);
    }
  }

  void countDryRun(boolean refused) {
    PacedRule.Done done = rule.done();
    (refused ? done.dryRefused : delayNanos() == 0 ? done.dryPassed : done.dryDelayed).increment();
  }

  void owe(long bytes, long now) {
    stakes.forEach(stake -> stake.owe(bytes, now));
  }

  void answered(long bytes, long now) {
    if (rule.policy().countAnswers()) {
      owe(bytes, now);
    }
  }

  void giveBack(long now) {
    stakes.forEach(stake -> stake.giveBack(now));
  }

  void leave() {
    stakes.forEach(stake -> stake.account().leave());
  }

  /** What a request takes from one account. */
  static final class Stake {
    private final PacedRule rule;
    private final Account account;
    private final double bytes;
    private long delay;
    private boolean taken;
    private Bucket.@Nullable Taking ofRequests;
    private Bucket.@Nullable Taking ofBytes;

    /**
     * Makes a stake.
     *
     * @param bytes of the body; 0 when its length is not known or the answer counts; negative when
     *     the request has none to pay for
     */
    private Stake(PacedRule rule, Account account, double bytes) {
      this.rule = rule;
      this.account = account;
      this.bytes = bytes;
    }

    PacedRule rule() {
      return rule;
    }

    Account account() {
      return account;
    }

    /** What the account asked for when it was looked at last. */
    long delayNanos() {
      return delay;
    }

    /**
     * Whether the account has enough, soon enough; called with its lock held.
     *
     * @param leftNanos after which nobody waits any more
     */
    boolean fits(long now, long leftNanos) {
      Bucket requestsLeft = account.requests();
      Bucket bytesLeft = account.bytes();
      delay = requestsLeft == null ? 0 : requestsLeft.delayNanos(1, now);
      if (bytesLeft != null && bytes >= 0) {
        delay = Math.max(delay, bytesLeft.delayNanos(bytes, now));
      }
      return delay == 0 || (delay <= mostNanos() && delay < leftNanos);
    }

    private long mostNanos() {
      return rule.policy().maxDelay().toNanos();
    }

    /** Takes; called with the account's lock held. */
    void take() {
      Bucket requestsLeft = account.requests();
      Bucket bytesLeft = account.bytes();
      taken = true;
      ofRequests = requestsLeft == null ? null : requestsLeft.take(1);
      ofBytes = bytesLeft == null || bytes <= 0 ? null : bytesLeft.take(bytes);
    }

    Pace.Refused refusal(long now, Deadline deadline) {
      Bucket requestsLeft = account.requests();
      Bucket bytesLeft = account.bytes();
      boolean byRequests;
      synchronized (account) {
        byRequests =
            bytesLeft == null
                || (requestsLeft != null
                    && requestsLeft.delayNanos(1, now) >= bytesLeft.delayNanos(bytes, now));
      }
      Bucket low = byRequests ? requestsLeft : bytesLeft;
      long left = Math.max(0, deadline.leftNanos(now));
      boolean tooLate = left < mostNanos();
      return new Pace.Refused(
          rule.policy().name(),
          account.key(),
          new Pace.Rate(
              byRequests ? "requests" : "bytes",
              low == null ? 0 : low.perSecond(),
              low == null ? 0 : low.burst()),
          delay,
          tooLate ? left : mostNanos(),
          tooLate ? deadline : Deadline.NONE);
    }

    void owe(long amount, long now) {
      Bucket bytesLeft = account.bytes();
      if (bytesLeft != null && taken) {
        synchronized (account) {
          bytesLeft.owe((double) amount, now);
        }
      }
    }

    void giveBack(long now) {
      Bucket requestsLeft = account.requests();
      Bucket bytesLeft = account.bytes();
      taken = false;
      synchronized (account) {
        if (requestsLeft != null && ofRequests != null) {
          requestsLeft.giveBack(ofRequests, now);
        }
        if (bytesLeft != null && ofBytes != null) {
          bytesLeft.giveBack(ofBytes, now);
        }
      }
    }
  }
}
