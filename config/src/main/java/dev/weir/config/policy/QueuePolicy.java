package dev.weir.config.policy;

import java.time.Duration;

/**
 * Waiting in the gateway until a node has room, apart for each node and for searches, gets and
 * writes; and how much a node may have at once.
 */
public record QueuePolicy(
    @ConfigKey(
            value = "true",
            doc = "Whether requests wait here for nodes that have as much as they can work on.")
        boolean enabled,
    @ConfigKey(
            value = "auto",
            max = "1h",
            doc =
                "For how long a request may wait. auto: by what answers take on a node that is not"
                    + " busy, see admission.md. A request's own deadline is never waited past.")
        AutoDuration maxWait,
    @ConfigKey(
            value = "1000",
            min = "0",
            max = "1000000",
            doc = "How many may wait, of searches, of gets and of writes.")
        int maxWaiting,
    @ConfigKey(
            value = "auto",
            max = "1h",
            doc =
                "Little's law: a node may have as many calls at once as make its answers take so"
                    + " long at the rate that it answers. auto: as many as it can work on, found by"
                    + " its queue, or by its response times where it reports none.")
        AutoDuration targetResponseTime,
    Window window,
    @ConfigKey(
            value = "2",
            min = "1",
            max = "1000000",
            doc = "Calls of a class that a node may have at once, at least.")
        int minInFlightPerNode,
    @ConfigKey(
            value = "1000",
            min = "1",
            max = "1000000",
            doc = "Calls of a class that a node may have at once, at most.")
        int maxInFlightPerNode) {

  /** In which the rate for Little's law is measured. */
  public record Window(
      @ConfigKey(value = "2000", min = "1", max = "1000000", doc = "So many answers of a node ...")
          int maxRequests,
      @ConfigKey(
              value = "1s",
              min = "10ms",
              max = "1h",
              doc = "... or so long, whichever is first.")
          Duration maxDuration) {}

  /** The policy without any file. */
  public static QueuePolicy defaults() {
    return new QueuePolicy(
        true,
        AutoDuration.AUTO,
        1000,
        AutoDuration.AUTO,
        new Window(2000, Duration.ofSeconds(1)),
        2,
        1000);
  }
}
