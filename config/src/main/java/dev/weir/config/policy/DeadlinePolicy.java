package dev.weir.config.policy;

import java.time.Duration;

/** Until when the answer to a coordinated request is waited for. */
public record DeadlinePolicy(
    @ConfigKey(
            value = "X-Weir-Timeout",
            doc =
                "The header by which a client says for how long it waits, such as 500ms; where it"
                    + " is grpc-timeout it is read as gRPC writes it. Empty: no client says so.")
        String timeoutHeader,
    @ConfigKey(
            value = "0s",
            min = "0s",
            max = "24h",
            doc =
                "For how long a read's answer is waited for where the client does not say; 0: for"
                    + " ever.")
        Duration defaultReadTimeout,
    @ConfigKey(value = "0s", min = "0s", max = "24h", doc = "The same for writes.")
        Duration defaultWriteTimeout,
    @ConfigKey(
            value = "0s",
            min = "0s",
            max = "24h",
            doc = "A client that asks for longer gets this; 0: whatever it asks for.")
        Duration maxTimeout,
    @ConfigKey(
            value = "true",
            doc =
                "Whether the shards of a search with a deadline get a timeout a little before it,"
                    + " so that they answer with what they have found by then.")
        boolean allowPartialResults) {

  /** The policy of a gateway whose file does not say. */
  public static final DeadlinePolicy DEFAULT =
      new DeadlinePolicy("X-Weir-Timeout", Duration.ZERO, Duration.ZERO, Duration.ZERO, true);
}
