package dev.weir.admission.pace;

import dev.weir.config.policy.PacingPolicy;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The buckets of one rule by key, bounded in number. Evicts only full buckets, so that a client
 * gains nothing by inventing keys. While no buckets are full, new keys share one set of buckets.
 * Safe on any thread.
 */
final class KeyBucketsCache {
  /** The key of the shared buckets. */
  static final String SHARED_KEY = "_others";

  /** The number of buckets checked for eviction for each new key. */
  private static final int MAX_EVICTION_SCAN = 16;

  private final PacingPolicy.Rule rule;
  private final LongSupplier nanoClock;
  private final ConcurrentHashMap<String, KeyBuckets> byKey = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final LongAdder sharedKeys = new LongAdder();
  private final KeyBuckets sharedBuckets;
  private final Object evictionLock = new Object();
  private Iterator<Map.Entry<String, KeyBuckets>> evictionCursor;
  private volatile int maxKeys;

  KeyBucketsCache(PacingPolicy.Rule rule, int maxKeys, LongSupplier nanoClock) {
    this.rule = rule;
    this.maxKeys = maxKeys;
    this.nanoClock = nanoClock;
    this.sharedBuckets = new KeyBuckets(SHARED_KEY, rule, nanoClock.getAsLong());
    this.evictionCursor = byKey.entrySet().iterator();
  }

  /** Changes the maximum of keys; a lower one takes effect as buckets are evicted. */
  void setMaxKeys(int accounts) {
    maxKeys = accounts;
  }

  int size() {
    return size.get();
  }

  /** Returns how often a key got the shared buckets. */
  long sharedKeys() {
    return sharedKeys.sum();
  }

  /**
   * Returns the buckets of a key. The caller calls {@link KeyBuckets#release} when its request has
   * ended.
   */
  KeyBuckets acquire(String key) {
    KeyBuckets known = byKey.computeIfPresent(key, (_, account) -> retained(account));
    if (known != null) {
      return known;
    }
    if (!makeRoom()) {
      sharedKeys.increment();
      return retained(sharedBuckets);
    }
    return byKey.compute(
        key,
        (name, present) -> {
          if (present != null) {
            size.decrementAndGet(); // another thread added it first
            return retained(present);
          }
          return retained(new KeyBuckets(name, rule, nanoClock.getAsLong()));
        });
  }

  private static KeyBuckets retained(KeyBuckets account) {
    account.retain();
    return account;
  }

  /**
   * Makes room for a new key; returns false if the maximum is reached and no buckets can be
   * evicted.
   */
  private boolean makeRoom() {
    if (tryReserveKey()) {
      return true;
    }
    evictOne();
    return tryReserveKey();
  }

  private boolean tryReserveKey() {
    int keys;
    do {
      keys = size.get();
      if (keys >= maxKeys) {
        return false;
      }
    } while (!size.compareAndSet(keys, keys + 1));
    return true;
  }

  private void evictOne() {
    long now = nanoClock.getAsLong();
    synchronized (evictionLock) {
      for (int looked = 0; looked < MAX_EVICTION_SCAN; looked++) {
        if (!evictionCursor.hasNext()) {
          evictionCursor = byKey.entrySet().iterator();
          if (!evictionCursor.hasNext()) {
            return;
          }
        }
        if (tryEvict(evictionCursor.next().getKey(), now)) {
          return;
        }
      }
    }
  }

  private boolean tryEvict(String key, long now) {
    boolean[] forgotten = {false};
    byKey.computeIfPresent(
        key,
        (_, account) -> {
          forgotten[0] = account.canEvict(now);
          return forgotten[0] ? null : account;
        });
    if (forgotten[0]) {
      size.decrementAndGet();
    }
    return forgotten[0];
  }
}
