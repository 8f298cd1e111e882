package dev.weir.advice.snapshot;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a gateway's configuration says to bound tenants. Immutable.
 *
 * @param weighted tenants with a weight
 * @param paced tenants with a rate limit: names, or patterns in which {@code *} matches any text
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
    return weighted.contains(tenant) || paced.stream().anyMatch(one -> matches(one, tenant));
  }

  private static boolean matches(String pattern, String tenant) {
    String regex =
        Arrays.stream(pattern.split("\\*+", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*"));
    return Pattern.compile(regex, Pattern.DOTALL).matcher(tenant).matches();
  }
}
