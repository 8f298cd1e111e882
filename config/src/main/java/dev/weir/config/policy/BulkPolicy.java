package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/**
 * How bulks are written.
 *
 * @param singleShard which bulks go to one shard
 * @param retry how often what a node refused is sent again
 * @param truncateKeywords where values are cut that an index does not take
 * @param merge which small bulks go to their shards together
 * @param streaming which bulks are carried out while they come
 */
public record BulkPolicy(
    SingleShard singleShard,
    @ConfigKey(
            value = "64mb",
            min = "1kb",
            max = "1tb",
            doc =
                "Bytes of writes that one node may have under way from this gateway; what is beyond"
                    + " that waits. Less where a node says that it takes less.")
        ByteSize maxInFlightBytesPerNode,
    Retry retry,
    TruncateKeywords truncateKeywords,
    Merge merge,
    Streaming streaming) {
  /** How the shard is chosen. */
  public enum ShardSelection {
    /** By what nodes have to do, and so that all shards get the same. */
    BALANCED,
    /** Any shard, whatever it got. */
    RANDOM
  }

  /** Documents of a bulk that have no id and no routing go to one shard, with ids that fit. */
  public record SingleShard(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams such as logs-* whose bulks go to one shard,"
                      + " besides indices with index.bulk_routing.enabled (a setting of the"
                      + " data-node plugin); empty: those alone.")
          List<String> indices,
      @ConfigKey(
              value = "10",
              min = "2",
              max = "1024",
              doc = "Only for indices with at least so many shards.")
          int minShards,
      @ConfigKey(
              value = "balanced",
              doc =
                  "balanced: the shard whose node has least to do, so that all shards get the same"
                      + " in the long run. random: any shard.")
          ShardSelection shardSelection) {
    /** What a gateway does whose file does not say. */
    public static final SingleShard DEFAULT =
        new SingleShard(List.of(), 10, ShardSelection.BALANCED);
  }

  /** Sending again what a node refused because it has too much to do (429). */
  public record Retry(
      @ConfigKey(
              value = "8",
              min = "0",
              max = "100",
              doc =
                  "How often a piece of a bulk is sent again that its node refused; then its items"
                      + " are told so. 0: never.")
          int maxRetries,
      @ConfigKey(
              value = "50ms",
              min = "1ms",
              max = "1m",
              doc = "The pause before the first time, at most; each further one is twice as long.")
          Duration initialBackoff,
      @ConfigKey(value = "5s", min = "1ms", max = "10m", doc = "No pause is longer.")
          Duration maxBackoff) {
    /** What a gateway does whose file does not say. */
    public static final Retry DEFAULT = new Retry(8, Duration.ofMillis(50), Duration.ofSeconds(5));

    /** Nothing is sent again. */
    public static final Retry NEVER = new Retry(0, Duration.ofMillis(50), Duration.ofSeconds(5));
  }

  /** Values of keyword fields that an index does not take are cut instead of failing. */
  public record TruncateKeywords(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams such as logs-* where values of keyword fields"
                      + " are cut to 32766 bytes of UTF-8, at a character, which is as much as an"
                      + " index takes; longer ones make their documents fail. Empty: none.")
          List<String> indices) {
    /** What a gateway does whose file does not say. */
    public static final TruncateKeywords DEFAULT = new TruncateKeywords(List.of());
  }

  /** Small bulks of several clients go to a shard together. */
  public record Merge(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams such as logs-* where small bulks of several"
                      + " clients go to a shard together; each client gets its own items back."
                      + " Empty: none.")
          List<String> indices,
      @ConfigKey(
              value = "5ms",
              min = "1ms",
              max = "1s",
              doc =
                  "For how long one waits for others at most. One that comes alone does not wait.")
          Duration maxDelay,
      @ConfigKey(
              value = "50",
              min = "1",
              max = "10000",
              doc = "A bulk is small where it has at most so many documents for a shard.")
          int maxItems,
      @ConfigKey(
              value = "500",
              min = "2",
              max = "100000",
              doc = "Documents that go together at most; when so many are there they go at once.")
          int maxBatchItems,
      @ConfigKey(
              value = "1mb",
              min = "1kb",
              max = "64mb",
              doc = "Bytes of documents that go together at most.")
          ByteSize maxBatchBytes) {
    /** What a gateway does whose file does not say. */
    public static final Merge DEFAULT =
        new Merge(List.of(), Duration.ofMillis(5), 50, 500, new ByteSize(1 << 20));
  }

  /** Large bulks are carried out section by section while they come. */
  public record Streaming(
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1gb",
              doc =
                  "Bulks longer than this are carried out section by section while they come,"
                      + " instead of as a whole; 0b: none, large ones pass through to a node. A"
                      + " node does nothing of a bulk with a malformed line; of these all sections"
                      + " before it are done.")
          ByteSize threshold,
      @ConfigKey(
              value = "2mb",
              min = "64kb",
              max = "64mb",
              doc =
                  "Bytes of a section. At most a quarter of the window; longer where one document"
                      + " is.")
          ByteSize sectionBytes,
      @ConfigKey(
              value = "16mb",
              min = "1mb",
              max = "1gb",
              doc =
                  "Bytes of one such bulk that the gateway holds at once. A document may be a"
                      + " quarter as long. At most half of admission.max-total-body-bytes, a part"
                      + " of which it is.")
          ByteSize maxBufferedBytes) {}
}
