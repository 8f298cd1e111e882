package dev.weir.config.policy;

import java.time.Duration;

/**
 * Waiting in the gateway until a node has room, apart for each node and for searches, gets and
 * writes; and how much a node may have at once.
 */
public record QueuePolicy(
    @Setting(
            value = "true",
            doc = "Whether requests wait here for nodes that have as much as they can work on.")
        boolean enabled,
    @Setting(
            value = "auto",
            max = "1h",
            doc =
                "For how long a request may wait. auto: by what answers take on a node that is not"
                    + " busy, see admission.md. A request's own deadline is never waited past.")
        AutoTime maxQueueWait,
    @Setting(
            value = "1000",
            min = "0",
            max = "1000000",
            doc = "How many may wait, of searches, of gets and of writes.")
        int waiting,
    @Setting(
            value = "auto",
            max = "1h",
            doc =
                "Little's law: a node may have as many calls at once as make its answers take so"
                    + " long at the rate that it answers. auto: as many as it can work on, found by"
                    + " its queue, or by its response times where it reports none.")
        AutoTime targetResponseTime,
    Frame frame,
    @Setting(
            value = "2",
            min = "1",
            max = "1000000",
            doc = "Calls of a class that a node may have at once, at least.")
        int minInFlight,
    @Setting(
            value = "1000",
            min = "1",
            max = "1000000",
            doc = "Calls of a class that a node may have at once, at most.")
        int maxInFlight) {

  /** In which the rate for Little's law is measured. */
  public record Frame(
      @Setting(value = "2000", min = "1", max = "1000000", doc = "So many answers of a node ...")
          int tasks,
      @Setting(value = "1s", min = "10ms", max = "1h", doc = "... or so long, whichever is first.")
          Duration time) {}

  /** The policy without any file. */
  public static QueuePolicy standard() {
    return new QueuePolicy(
        true, AutoTime.AUTO, 1000, AutoTime.AUTO, new Frame(2000, Duration.ofSeconds(1)), 2, 1000);
  }
}
