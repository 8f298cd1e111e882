package dev.weir.config.policy;

import java.time.Duration;

/**
 * Which writes the gateway repeats on a second cluster.
 *
 * @param targetCluster empty for none
 * @param repairLogDirectory required if a target cluster is set
 * @param intentLog records writes before they leave
 */
public record DualWritesPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster on which the gateway repeats writes that the first cluster has"
                    + " acknowledged. Needs repair-log-directory. Empty: no dual writes.")
        String targetCluster,
    @ConfigKey(
            value = "10s",
            min = "10ms",
            max = "10m",
            doc =
                "How long a client's response waits for the target cluster. Writes that are not"
                    + " done by then go to the repair log.")
        Duration timeout,
    @ConfigKey(
            value = "",
            doc =
                "Directory of the repair log: the writes that the target cluster may lack. Needed"
                    + " wherever target-cluster is set. Several gateways may share it.")
        String repairLogDirectory,
    IntentLogPolicy intentLog) {
  /**
   * The log of writes that are under way.
   *
   * @param directory empty for no log
   */
  public record IntentLogPolicy(
      @ConfigKey(
              value = "",
              doc =
                  "Directory of the intent log: the ids of dual writes that are under way. When a"
                      + " gateway starts, it moves those that an ended gateway left there to the"
                      + " repair log. Several gateways may share it; it may be"
                      + " repair-log-directory. The file system must support locks. Empty: no"
                      + " intent log.")
          String directory,
      @ConfigKey(
              value = "false",
              doc =
                  "Whether the log is flushed to disk before a write leaves. Without it the log"
                      + " survives the end of the gateway; with it, also a crash of the machine.")
          boolean sync,
      @ConfigKey(
              value = "200ms",
              min = "1ms",
              max = "30s",
              doc = "How long a write waits for the log before on-failure applies.")
          Duration maxWait,
      @ConfigKey(
              value = "continue",
              doc =
                  "What becomes of a write that the log does not take, as when the disk is full."
                      + " continue: it goes on without an entry. reject: it ends with 503, and"
                      + " nothing is written.")
          FailureMode onFailure) {
    /** No log. */
    public static final IntentLogPolicy DEFAULT =
        new IntentLogPolicy("", false, Duration.ofMillis(200), FailureMode.CONTINUE);

    /** What becomes of a write that the log does not take. */
    public enum FailureMode {
      /** It goes on without an entry. */
      CONTINUE,
      /** It is rejected before anything is written. */
      REJECT
    }
  }
}
