package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/**
 * How bulks are written.
 *
 * @param directed which bulks go to one shard
 * @param retry how often what a node refused is sent again
 */
public record BulkPolicy(
    Directed directed,
    @Setting(
            value = "64mb",
            min = "1kb",
            max = "1tb",
            doc =
                "Bytes of writes that one node may have under way from this gateway; what is beyond"
                    + " that waits. Less where a node says that it takes less.")
        ByteSize maxNodeBytes,
    Retry retry) {
  /** How the shard is chosen. */
  public enum Choice {
    /** By what nodes have to do, and so that all shards get the same. */
    BALANCED,
    /** Any shard, whatever it got. */
    RANDOM
  }

  /** Documents of a bulk that have no id and no routing go to one shard, with ids that fit. */
  public record Directed(
      @Setting(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams such as logs-* whose bulks go to one shard,"
                      + " besides indices with index.bulk_routing.enabled (a setting of the"
                      + " data-node plugin); empty: those alone.")
          List<String> indices,
      @Setting(
              value = "10",
              min = "2",
              max = "1024",
              doc = "Only for indices with at least so many shards.")
          int minShards,
      @Setting(
              value = "balanced",
              doc =
                  "balanced: the shard whose node has least to do, so that all shards get the same"
                      + " in the long run. random: any shard.")
          Choice choice) {
    /** What a gateway does whose file does not say. */
    public static final Directed STANDARD = new Directed(List.of(), 10, Choice.BALANCED);
  }

  /** Sending again what a node refused because it has too much to do (429). */
  public record Retry(
      @Setting(
              value = "8",
              min = "0",
              max = "100",
              doc =
                  "How often a piece of a bulk is sent again that its node refused; then its items"
                      + " are told so. 0: never.")
          int most,
      @Setting(
              value = "50ms",
              min = "1ms",
              max = "1m",
              doc = "The pause before the first time, at most; each further one is twice as long.")
          Duration firstPause,
      @Setting(value = "5s", min = "1ms", max = "10m", doc = "No pause is longer.")
          Duration longestPause) {
    /** What a gateway does whose file does not say. */
    public static final Retry STANDARD = new Retry(8, Duration.ofMillis(50), Duration.ofSeconds(5));

    /** Nothing is sent again. */
    public static final Retry NEVER = new Retry(0, Duration.ofMillis(50), Duration.ofSeconds(5));
  }
}
