package dev.weir.config.policy;

import java.util.List;

/**
 * How bulks are written.
 *
 * @param directed which bulks go to one shard
 * @param streaming which bulks are carried out while they come
 */
public record BulkPolicy(Directed directed, Streaming streaming) {
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

  /** Large bulks are carried out section by section while they come. */
  public record Streaming(
      @Setting(
              value = "0b",
              min = "0b",
              max = "1gb",
              doc =
                  "Bulks longer than this are carried out section by section while they come,"
                      + " instead of as a whole; 0b: none, large ones pass through to a node. A"
                      + " node does nothing of a bulk with a malformed line; of these all sections"
                      + " before it are done.")
          ByteSize over,
      @Setting(
              value = "2mb",
              min = "64kb",
              max = "64mb",
              doc =
                  "Bytes of a section. At most a quarter of the window; longer where one document"
                      + " is.")
          ByteSize section,
      @Setting(
              value = "16mb",
              min = "1mb",
              max = "1gb",
              doc =
                  "Bytes of one such bulk that the gateway holds at once. A document may be a"
                      + " quarter as long. At most half of admission.max-body-bytes, a part of"
                      + " which it is.")
          ByteSize window) {}
}
