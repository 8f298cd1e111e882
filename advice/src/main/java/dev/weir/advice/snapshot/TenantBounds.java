package dev.weir.advice.snapshot;

import java.util.List;
import java.util.Set;

/**
 * What a gateway's configuration says to bound tenants. Immutable.
 *
 * @param weighted tenants with a weight
 * @param paced tenants with a rate limit: names, or {@linkplain NamePattern patterns}
 */
public record TenantBounds(Set<String> weighted, List<String> paced) {
  /** Nothing is bounded. */
  public static final TenantBounds NONE = new TenantBounds(Set.of(), List.of());

  /** Copies both. */
  public TenantBounds {
    weighted = Set.copyOf(weighted);
    paced = List.copyOf(paced);
  }

  /** Returns whether a tenant has a weight or a rate limit. */
  public boolean cover(String tenant) {
    return weighted.contains(tenant)
        || paced.stream().anyMatch(one -> NamePattern.of(one).matches(tenant));
  }
}
