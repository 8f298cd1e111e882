package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The accounts of one rule, by key, of a bounded number. Only one from which all has come back is
 * forgotten, so that nobody gets a new allowance by sending under many names; while there is none,
 * further keys share one account. Safe on any thread.
 */
final class Accounts {
  /** What those are called that share an account. */
  static final String OTHERS = "_others";

  /** Accounts looked at for each new key, at most. */
  private static final int LOOKED_AT = 16;

  private final PacingPolicy.Rule rule;
  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<String, Account> byKey = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder shared = new LongAdder();
  private final Account others;
  private final Object handLock = new Object();
  private Iterator<Map.Entry<String, Account>> hand;
  private volatile int most;

  Accounts(PacingPolicy.Rule rule, int most, LongSupplier nanoClock) {
    this.rule = rule;
    this.most = most;
    this.nanoClock = nanoClock;
    this.others = new Account(OTHERS, rule, nanoClock.getAsLong());
    this.hand = byKey.entrySet().iterator();
  }

  /** Takes another bound; a lower one as accounts are forgotten. */
  void most(int accounts) {
    most = accounts;
  }

  int size() {
    return size.get();
  }

  /** How often a key had to share an account. */
  long shared() {
    return shared.sum();
  }

  /** The account of a key; {@link Account#leave} is called when the request is over. */
  Account use(String key) {
    Account known = byKey.computeIfPresent(key, (_, account) -> used(account));
    if (known != null) {
      return known;
    }
    if (!makeRoom()) {
      shared.increment();
      return used(others);
    }
    return byKey.compute(
        key,
        (name, present) -> {
          if (present != null) {
            size.decrementAndGet(); // another thread was first
            return used(present);
          }
          return used(new Account(name, rule, nanoClock.getAsLong()));
        });
  }

  private static Account used(Account account) {
    account.use();
    return account;
  }

  /** Counts one more; false when there are too many, and none can be forgotten. */
  private boolean makeRoom() {
    int bound = most;
    if (size.incrementAndGet() <= bound) {
      return true;
    }
    forgetOne();
    if (size.get() <= bound) {
      return true;
    }
    size.decrementAndGet();
    return false;
  }

  private void forgetOne() {
    long now = nanoClock.getAsLong();
    synchronized (handLock) {
      for (int looked = 0; looked < LOOKED_AT; looked++) {
        if (!hand.hasNext()) {
          hand = byKey.entrySet().iterator();
          if (!hand.hasNext()) {
            return;
          }
        }
        if (forget(hand.next().getKey(), now)) {
          return;
        }
      }
    }
  }

  private boolean forget(String key, long now) {
    boolean[] forgotten = {false};
    byKey.computeIfPresent(
        key,
        (_, account) -> {
          forgotten[0] = account.forgettable(now);
          return forgotten[0] ? null : account;
        });
    if (forgotten[0]) {
      size.decrementAndGet();
    }
    return forgotten[0];
  }
}
