package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** How requests are attributed to tenants. */
public record TenantsPolicy(
    @ConfigKey(
            value = "none",
            doc =
                "What identifies a request's tenant. header: the value of a header. user: the user"
                    + " name of its credentials. index: the index in the path. client-address: the"
                    + " client's IP address. none: all requests belong to one tenant.")
        TenantSource source,
    @ConfigKey(
            value = "",
            doc =
                "With source header: the name of the header, such as X-Tenant. With source user: a"
                    + " header in which a trusted proxy in front names the user, read before the"
                    + " credentials; empty: none.")
        String header,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "With source index: patterns such as logs-*. The first pattern that an index of the"
                    + " request matches is the tenant. Empty: the first index is the tenant.")
        List<String> indexPatterns,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Shares of tenants where there is not enough for all, such as {gold: 4}, which gets"
                    + " four times the share of a tenant with weight 1. Tenants that are not listed"
                    + " have weight 1.")
        Map<String, Double> weights) {

  /** The smallest weight. */
  public static final double MIN_WEIGHT = 0.01;

  /** The largest weight. */
  public static final double MAX_WEIGHT = 1000;

  /** What identifies the tenant of a request. */
  public enum TenantSource {
    /** Nothing: all requests belong to one tenant. */
    NONE,
    /** The value of a header. */
    HEADER,
    /** The user name in the credentials. */
    USER,
    /** The index in the path. */
    INDEX,
    /** The client's address. */
    CLIENT_ADDRESS
  }

  /** Returns a policy with one tenant for all requests. */
  public static TenantsPolicy none() {
    return new TenantsPolicy(TenantSource.NONE, "", List.of(), Map.of());
  }

  /** Returns a tenant's share relative to a tenant of weight 1. */
  public double weightOf(String tenant) {
    return weights.getOrDefault(tenant, 1.0);
  }
}
