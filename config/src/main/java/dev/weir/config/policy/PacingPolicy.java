package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/** How fast requests may come. */
public record PacingPolicy(
    @ConfigKey(
            value = "10000",
            min = "1",
            max = "1000000",
            doc =
                "Tenants, indices or addresses that a rule counts by themselves at once; further"
                    + " ones share one allowance until another's has come back in full.")
        int maxKeys,
    @ConfigKey(
            value = "",
            max = "100",
            doc =
                "Limits. All that a request matches must let it pass, before its body is read,"
                    + " whether it is coordinated or passes through.")
        List<Rule> rules) {

  /** Without any rule. */
  public static PacingPolicy none() {
    return new PacingPolicy(10_000, List.of());
  }

  /** What kind of request it is, by its method and path. */
  public enum Action {
    /** Searches of all kinds: {@code _search}, {@code _msearch}, {@code _count}, ... */
    SEARCH,
    /** Documents read by their ids. */
    GET,
    /** {@code _bulk}. */
    BULK,
    /** Documents written one by one or by query. */
    WRITE,
    /** All else. */
    OTHER
  }

  /** What has an allowance of its own. */
  public enum LimitKey {
    /** Nothing: all requests of the rule share one. */
    ALL,
    /** Each tenant. */
    TENANT,
    /** Each index that the path names. */
    INDEX,
    /** Each client's address. */
    CLIENT_ADDRESS
  }

  /** One limit. */
  public record Rule(
      @ConfigKey(doc = "What it is called, in answers and metrics.") String name,
      @ConfigKey(
              value = "",
              max = "1000",
              doc = "Whose requests, by names or patterns such as gold-*; empty: everybody's.")
          List<String> tenants,
      @ConfigKey(
              value = "",
              max = "1000",
              doc =
                  "Requests that name such an index, such as logs-*; a path that names none stands"
                      + " for all indices. Empty: all requests.")
          List<String> indices,
      @ConfigKey(value = "", max = "5", doc = "Of search, get, bulk, write, other; empty: all.")
          List<Action> actions,
      @ConfigKey(value = "", max = "9", doc = "Such as POST; empty: all.") List<String> methods,
      @ConfigKey(value = "all", doc = "What has an allowance of its own.") LimitKey limitBy,
      @ConfigKey(
              value = "0",
              min = "0",
              max = "1000000",
              doc = "Requests a second, also fractions; 0: not limited.")
          double requestsPerSecond,
      @ConfigKey(
              value = "0",
              min = "0",
              max = "1000000",
              doc = "Requests at once after a quiet time; 0: those of a second, at least 1.")
          double maxBurstRequests,
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1tb",
              doc = "Bytes of requests' bodies a second, as they are sent; 0b: not limited.")
          ByteSize bytesPerSecond,
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1tb",
              doc =
                  "Bytes at once after a quiet time; 0b: those of a second. A larger body passes"
                      + " when all of it is there, and those after it pay.")
          ByteSize maxBurstBytes,
      @ConfigKey(
              value = "false",
              doc = "Whether the bytes of answers count too: those after them pay.")
          boolean countResponseBytes,
      @ConfigKey(
              value = "1s",
              min = "0s",
              max = "1m",
              doc =
                  "For how long a request may be held back; one that would have to be for longer"
                      + " is refused with 429 at once.")
          Duration maxDelay,
      @ConfigKey(value = "false", doc = "Whether it only counts what it would have done.")
          boolean dryRun) {

    /** Requests at once. */
    public double effectiveBurstRequests() {
      return maxBurstRequests > 0 ? Math.max(1, maxBurstRequests) : Math.max(1, requestsPerSecond);
    }

    /** Bytes at once. */
    public double effectiveBurstBytes() {
      return maxBurstBytes.bytes() > 0 ? maxBurstBytes.bytes() : bytesPerSecond.bytes();
    }

    /** Whether what was counted by the one rule goes on counting by the other. */
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
