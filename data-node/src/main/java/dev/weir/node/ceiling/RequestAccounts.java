package dev.weir.node.ceiling;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The accounts of the searches that run on this node under a ceiling. An account exists while a
 * shard request of its search has a lease of it. Safe on any thread.
 */
final class RequestAccounts {
  private final ConcurrentHashMap<Object, Entry> entries = new ConcurrentHashMap<>();

  /** An account and the number of its leases. Immutable. */
  private record Entry(RequestAccount account, int leases) {}

  /**
   * Returns the account of a search, to be released by {@link #release} with the same key.
   *
   * @param key identifies the search among those on this node
   * @param opened makes the account if no other shard request has it
   */
  RequestAccount acquire(Object key, Supplier<RequestAccount> opened) {
    return entries
        .compute(
            key,
            (same, entry) ->
                entry == null
                    ? new Entry(opened.get(), 1)
                    : new Entry(entry.account(), entry.leases() + 1))
        .account();
  }

  /** Ends one lease; the last one forgets the account. */
  void release(Object key) {
    entries.computeIfPresent(
        key,
        (same, entry) ->
            entry.leases() == 1 ? null : new Entry(entry.account(), entry.leases() - 1));
  }

  /** Returns the number of searches with an account. */
  int size() {
    return entries.size();
  }
}
