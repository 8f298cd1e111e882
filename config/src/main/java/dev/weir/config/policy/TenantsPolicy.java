package dev.weir.config.policy;

import java.util.List;
import java.util.Map;

/** How it is told whose a request is. */
public record TenantsPolicy(
    @ConfigKey(
            value = "none",
            doc =
                "By what requests are told apart. header: by the value of a header; user: by who"
                    + " the credentials say it is; index: by the index named in the path;"
                    + " client-address: by the client's address; none: all are one tenant's.")
        TenantSource source,
    @ConfigKey(
            value = "",
            doc =
                "By header: its name, such as X-Tenant. By user: the header in which a proxy in"
                    + " front says who it is, looked at first; empty: none.")
        String header,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "By index: patterns such as logs-*, the first that an index of the request matches"
                    + " is its tenant; empty: the first index is.")
        List<String> indexPatterns,
    @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "How much more than another a tenant may have where there is not enough for all,"
                    + " such as {gold: 4}; 1 for those that are not named.")
        Map<String, Double> weights) {

  /** The smallest weight. */
  public static final double MIN_WEIGHT = 0.01;

  /** The largest weight. */
  public static final double MAX_WEIGHT = 1000;

  /** By what requests are told apart. */
  public enum TenantSource {
    /** Not at all. */
    NONE,
    /** By the value of a header. */
    HEADER,
    /** By the user that the credentials name. */
    USER,
    /** By the index named in the path. */
    INDEX,
    /** By the client's address. */
    CLIENT_ADDRESS
  }

  /** One tenant for all. */
  public static TenantsPolicy none() {
    return new TenantsPolicy(TenantSource.NONE, "", List.of(), Map.of());
  }

  /** How much more than another a tenant may have. */
  public double weightOf(String tenant) {
    return weights.getOrDefault(tenant, 1.0);
  }
}
