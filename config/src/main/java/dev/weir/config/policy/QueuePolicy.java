package dev.weir.config.policy;

import java.time.Duration;

/**
 * Waiting in the gateway until a node has capacity, separately for each node and for searches, gets
 * and writes; and the limits of calls to a node.
 */
public record QueuePolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether requests wait in the gateway for nodes that are at their limit. false: the"
                    + " gateway sends everything at once.")
        boolean enabled,
    @ConfigKey(
            value = "auto",
            max = "1h",
            doc =
                "How long a request may wait. auto: derived from the response times of a node that"
                    + " is not busy, see admission.md; a search with target-response-time waits for"
                    + " a tenth of it. The gateway never lets a request wait past its deadline.")
        AutoDuration maxWait,
    @ConfigKey(
            value = "1000",
            min = "0",
            max = "1000000",
            doc =
                "Requests that wait at once, counted separately for searches, gets and writes."
                    + " Further ones get 429. 0: none waits.")
        int maxWaiting,
    @ConfigKey(
            value = "auto",
            max = "1h",
            doc =
                "Response time that the gateway aims at: a node gets as many calls at once as it"
                    + " can answer in this time at its present rate (Little's law). auto: a node"
                    + " gets as many calls as it can work on. The gateway finds this number from"
                    + " the node's queue, or from response times where a node reports no queue.")
        AutoDuration targetResponseTime,
    Window window,
    @ConfigKey(
            value = "2",
            min = "1",
            max = "1000000",
            doc =
                "Lower bound of the calls of one kind (search, get or write) that a node gets at"
                    + " once, whatever the gateway measures.")
        int minInFlightPerNode,
    @ConfigKey(
            value = "1000",
            min = "1",
            max = "1000000",
            doc =
                "Upper bound of the calls of one kind (search, get or write) that a node gets at"
                    + " once, whatever the gateway measures. At least min-in-flight-per-node.")
        int maxInFlightPerNode) {

  /** The window over which the rate for Little's law is measured. */
  public record Window(
      @ConfigKey(
              value = "2000",
              min = "1",
              max = "1000000",
              doc =
                  "Responses of a node after which the gateway computes its rate again. Counts only"
                      + " with target-response-time.")
          int maxRequests,
      @ConfigKey(
              value = "1s",
              min = "10ms",
              max = "1h",
              doc =
                  "Time after which the gateway computes a node's rate again, if max-requests has"
                      + " not been reached. Counts only with target-response-time.")
          Duration maxDuration) {}

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
