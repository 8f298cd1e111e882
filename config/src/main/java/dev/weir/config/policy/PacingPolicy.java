package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** Rate limits. */
public record PacingPolicy(
    @ConfigKey(
            value = "10000",
            min = "1",
            max = "1000000",
            doc =
                "Tenants, indices or addresses that one rule counts separately. Further ones share"
                    + " one allowance until an idle key's allowance is full again and the gateway"
                    + " can drop it.")
        int maxKeys,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Rate limits. A request must satisfy every rule that it matches. The gateway"
                    + " applies them before it reads the body, to coordinated requests and to those"
                    + " that pass through.")
        List<Rule> rules) {

  /** Returns a policy without rules. */
  public static PacingPolicy none() {
    return new PacingPolicy(10_000, List.of());
  }

  /** The kinds of request, by method and path. */
  public enum Action {
    /** Searches of all kinds: {@code _search}, {@code _msearch}, {@code _count}, ... */
    SEARCH,
    /** Reads of documents by their ids. */
    GET,
    /** {@code _bulk}. */
    BULK,
    /** Writes of single documents, or by query. */
    WRITE,
    /** Everything else. */
    OTHER
  }

  /** What has buckets of its own under a rule. */
  public enum LimitKey {
    /** Nothing: all requests of the rule share one set of buckets. */
    ALL,
    /** Each tenant. */
    TENANT,
    /** Each index that the path names. */
    INDEX,
    /** Each client's address. */
    CLIENT_ADDRESS
  }

  /** One rate limit. */
  public record Rule(
      @ConfigKey(doc = "Name of the rule, in responses with 429 and in metrics.") String name,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Apply the rule to these tenants: names, or patterns such as gold-*. Empty: all"
                      + " tenants.")
          List<String> tenants,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Apply the rule to requests that name one of these indices, such as logs-*. A"
                      + " path without an index stands for all indices. Empty: all requests.")
          List<String> indices,
      @ConfigKey(
              value = "",
              max = "5",
              doc =
                  "Apply the rule to these kinds of request: search, get, bulk, write, other."
                      + " Empty: all.")
          List<Action> actions,
      @ConfigKey(
              value = "",
              max = "9",
              doc = "Apply the rule to these HTTP methods, such as POST. Empty: all.")
          List<String> methods,
      @ConfigKey(
              value = "all",
              doc =
                  "What has an allowance of its own: tenant, index or client-address. all: one"
                      + " allowance for all requests of the rule.")
          LimitKey limitBy,
      @ConfigKey(
              value = "0",
              min = "0",
              max = "1000000",
              doc = "Requests each second; fractions such as 0.5 are allowed. 0: unlimited.")
          double requestsPerSecond,
      @ConfigKey(
              value = "0",
              min = "0",
              max = "1000000",
              doc =
                  "Requests that may arrive at once after a quiet time. 0: as many as in one"
                      + " second, at least 1.")
          double maxBurstRequests,
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1tb",
              doc =
                  "Bytes of request bodies each second, as sent (before decompression). 0b:"
                      + " unlimited.")
          ByteSize bytesPerSecond,
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1tb",
              doc =
                  "Bytes that may arrive at once after a quiet time. 0b: as many as in one second."
                      + " A larger body passes when the allowance is full, and the requests after"
                      + " it wait longer.")
          ByteSize maxBurstBytes,
      @ConfigKey(
              value = "false",
              doc =
                  "Whether the bytes of responses count too. The requests after a large response"
                      + " then wait longer.")
          boolean countResponseBytes,
      @ConfigKey(
              value = "1s",
              min = "0s",
              max = "1m",
              doc =
                  "How long the gateway may delay a request to keep the rate. It rejects a request"
                      + " that would have to wait longer with 429 at once.")
          Duration maxDelay,
      @ConfigKey(
              value = "false",
              doc =
                  "Whether the rule only counts what it would delay and reject. Start with true to"
                      + " find a limit.")
          boolean dryRun) {

    /** Returns the most requests that may pass at once. */
    public double effectiveBurstRequests() {
      return maxBurstRequests > 0 ? Math.max(1, maxBurstRequests) : Math.max(1, requestsPerSecond);
    }

    /** Returns the most bytes that may pass at once. */
    public double effectiveBurstBytes() {
      return maxBurstBytes.bytes() > 0 ? maxBurstBytes.bytes() : bytesPerSecond.bytes();
    }

    /** Returns whether another rule can continue with this rule's buckets. */
    public boolean hasSameCounters(Rule other) {
      return name.equals(other.name)
          && limitBy == other.limitBy
          && requestsPerSecond == other.requestsPerSecond
          && effectiveBurstRequests() == other.effectiveBurstRequests()
          && bytesPerSecond.equals(other.bytesPerSecond)
          && effectiveBurstBytes() == other.effectiveBurstBytes();
    }
  }
}
