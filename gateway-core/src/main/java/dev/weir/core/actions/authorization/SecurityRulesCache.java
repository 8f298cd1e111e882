package dev.weir.core.actions.authorization;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The security configuration, read again while requests need it. Safe on any thread. */
final class SecurityRulesCache {
  private static final String KEY = "rules";

  private final ShortLivedCache<SecurityRules> cache;
  private final SecurityRulesReader reader;

  SecurityRulesCache(ShortLivedCache<SecurityRules> cache, SecurityRulesReader reader) {
    this.cache = cache;
    this.reader = reader;
  }

  /** Returns the rules if they are fresh; null otherwise. */
  @Nullable SecurityRules getIfFresh() {
    return cache.getIfFresh(KEY, reader::read);
  }

  /** Reads the rules. */
  CompletableFuture<SecurityRules> read() {
    return cache.ask(KEY, reader::read);
  }

  /** Returns the rules' age in nanoseconds; negative for none. */
  long ageNanos() {
    return cache.ageNanos(KEY);
  }
}
