package dev.weir.config.policy;

import java.time.Duration;

/** How long clients wait for coordinated requests. */
public record DeadlinePolicy(
    @ConfigKey(
            value = "X-Weir-Timeout",
            doc =
                "Request header in which a client says how long it waits, such as 500ms. The name"
                    + " grpc-timeout selects gRPC's notation. Empty: the gateway reads no such"
                    + " header.")
        String timeoutHeader,
    @ConfigKey(
            value = "10m",
            min = "0s",
            max = "24h",
            doc =
                "Deadline of reads whose client does not give one, except for scrolls. 0s: no"
                    + " deadline, as on a node.")
        Duration defaultReadTimeout,
    @ConfigKey(
            value = "0s",
            min = "0s",
            max = "24h",
            doc =
                "Deadline of writes whose client does not give one. 0s: no deadline, as on a node.")
        Duration defaultWriteTimeout,
    @ConfigKey(
            value = "0s",
            min = "0s",
            max = "24h",
            doc =
                "Longest deadline that a client may ask for; the gateway shortens longer ones to"
                    + " it. 0s: any.")
        Duration maxTimeout,
    @ConfigKey(
            value = "true",
            doc =
                "Whether shards of a search with a deadline get a timeout shortly before it, so"
                    + " that the client gets the hits found by then in place of an error.")
        boolean allowPartialResults) {

  public static final DeadlinePolicy DEFAULT =
      new DeadlinePolicy(
          "X-Weir-Timeout", Duration.ofMinutes(10), Duration.ZERO, Duration.ZERO, true);
}
