package dev.weir.config.policy;

import java.time.Duration;
import java.util.List;

/**
 * How the gateway writes bulks.
 *
 * @param singleShard which bulks go to one shard
 * @param retry retries of shard requests that a node rejected
 * @param truncateKeywords which long keyword values are truncated
 * @param merge which small bulks are merged
 * @param streaming which bulks are executed while they arrive
 */
public record BulkPolicy(
    SingleShard singleShard,
    @ConfigKey(
            value = "64mb",
            min = "1kb",
            max = "1tb",
            doc =
                "Bytes of writes that this gateway has in flight to one node. Further writes to"
                    + " that node wait in the gateway. Where a node reports a lower"
                    + " indexing-pressure limit, the gateway stays below that. Raise it for nodes"
                    + " with large heaps while weir_write_waiting_shard_requests is above 0 and the"
                    + " nodes reject nothing.")
        ByteSize maxInFlightBytesPerNode,
    Retry retry,
    TruncateKeywords truncateKeywords,
    Merge merge,
    Streaming streaming) {
  /** How the gateway chooses the shard. */
  public enum ShardSelection {
    /** By the load of the shards' nodes, with equal shares in the long run. */
    BALANCED,
    /** At random. */
    RANDOM
  }

  /** Sends documents without an id and without routing to one shard, with ids that belong to it. */
  public record SingleShard(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams, such as logs-*, whose bulks the gateway sends"
                      + " to one shard each. Indices with the setting index.bulk_routing.enabled"
                      + " (of the data-node plugin) are added. Empty: only those. Applies to"
                      + " documents without an id and without routing.")
          List<String> indices,
      @ConfigKey(
              value = "10",
              min = "2",
              max = "1024",
              doc = "Send a bulk to one shard only where its index has at least this many shards.")
          int minShards,
      @ConfigKey(
              value = "balanced",
              doc =
                  "How the gateway chooses that shard. balanced: the shard whose node has the least"
                      + " to do, with equal shares in the long run. random: any shard.")
          ShardSelection shardSelection) {
    public static final SingleShard DEFAULT =
        new SingleShard(List.of(), 10, ShardSelection.BALANCED);
  }

  /** Retries of shard requests that a node rejected with 429. */
  public record Retry(
      @ConfigKey(
              value = "8",
              min = "0",
              max = "100",
              doc =
                  "How often the gateway sends a part of a bulk again that a node rejected with"
                      + " 429. After that the client gets the 429 for those items. 0: never.")
          int maxRetries,
      @ConfigKey(
              value = "50ms",
              min = "1ms",
              max = "1m",
              doc = "Longest wait before the first retry. Each further wait may be twice as long.")
          Duration initialBackoff,
      @ConfigKey(
              value = "5s",
              min = "1ms",
              max = "10m",
              doc = "Longest wait before any retry. At least initial-backoff.")
          Duration maxBackoff) {
    public static final Retry DEFAULT = new Retry(8, Duration.ofMillis(50), Duration.ofSeconds(5));

    public static final Retry NEVER = new Retry(0, Duration.ofMillis(50), Duration.ofSeconds(5));
  }

  /** Truncation of keyword values that exceed Lucene's limit. */
  public record TruncateKeywords(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams, such as logs-*, where the gateway shortens"
                      + " values of keyword fields to 32766 bytes of UTF-8, at a character"
                      + " boundary. That is Lucene's limit; a node rejects a document with a longer"
                      + " value. Empty: none.")
          List<String> indices,
      @ConfigKey(
              value = "false",
              doc =
                  "Whether the gateway also shortens values that a keyword field shares with"
                      + " another one: those of a field with a keyword as a subfield, such as"
                      + " message.keyword, and those with copy_to. Then the other field gets the"
                      + " shorter value too, for example the text field. false: a node rejects"
                      + " the document.")
          boolean sharedValues) {
    public static final TruncateKeywords DEFAULT = new TruncateKeywords(List.of(), false);
  }

  /** Merging of small bulks of several clients that go to one shard. */
  public record Merge(
      @ConfigKey(
              value = "",
              max = "64",
              doc =
                  "Indices, aliases and data streams, such as logs-*, where the gateway sends small"
                      + " bulks of several clients to a shard together. Each client gets the"
                      + " results of its own items. Empty: none.")
          List<String> indices,
      @ConfigKey(
              value = "5ms",
              min = "1ms",
              max = "1s",
              doc =
                  "Longest time that a small bulk waits for others. A bulk that arrives alone does"
                      + " not wait.")
          Duration maxDelay,
      @ConfigKey(
              value = "50",
              min = "1",
              max = "10000",
              doc =
                  "A bulk with at most this many items for one shard counts as small and may be"
                      + " merged.")
          int maxItems,
      @ConfigKey(
              value = "500",
              min = "2",
              max = "100000",
              doc =
                  "Items that the gateway sends together at most. A batch that reaches this number"
                      + " leaves at once.")
          int maxBatchItems,
      @ConfigKey(
              value = "1mb",
              min = "1kb",
              max = "64mb",
              doc = "Bytes of documents that the gateway sends together at most.")
          ByteSize maxBatchBytes) {
    public static final Merge DEFAULT =
        new Merge(List.of(), Duration.ofMillis(5), 50, 500, new ByteSize(1 << 20));
  }

  /** Execution of large bulks section by section while they arrive. */
  public record Streaming(
      @ConfigKey(
              value = "0b",
              min = "0b",
              max = "1gb",
              doc =
                  "Length of the body from which the gateway carries out a bulk section by section"
                      + " while the body arrives. 0b: never; a bulk that is too long to gather then"
                      + " passes through to a node. Note a difference from a node: with a malformed"
                      + " line a node does nothing of the bulk, while here the sections before that"
                      + " line are done.")
          ByteSize threshold,
      @ConfigKey(
              value = "2mb",
              min = "64kb",
              max = "64mb",
              doc =
                  "Size of one section, at most a quarter of max-buffered-bytes. A section with a"
                      + " single larger document may be larger.")
          ByteSize sectionBytes,
      @ConfigKey(
              value = "16mb",
              min = "1mb",
              max = "1gb",
              doc =
                  "Bytes of one streamed bulk that the gateway holds at once. One document may take"
                      + " a quarter of it. At most half of admission.max-total-body-bytes, which"
                      + " the bytes count towards.")
          ByteSize maxBufferedBytes) {}
}
