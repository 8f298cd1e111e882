package dev.weir.config.policy;

/**
 * What one search may hold on one data node, as far as nodes have Weir's plugin. The gateway sends
 * it with each shard request, as it stands here: another node's heap has nothing to do with what
 * the search still may hold in the gateway, and so the same search always meets the same ceiling.
 */
public record NodeCeilingPolicy(
    @ConfigKey(
            value = "0b",
            min = "0b",
            max = "1tb",
            doc =
                "Heap bytes that the aggregations and sorted hits of one search may hold on one"
                    + " node, in all its shards there. A shard request beyond it fails with 429."
                    + " Only on nodes with the plugin weir-data-node. 0b: no limit of its own.")
        ByteSize maxBytes,
    @ConfigKey(
            value = "0",
            min = "0",
            max = "2000000000",
            doc =
                "Buckets that the aggregations of one search may collect on one node, in all its"
                    + " shards there, also buckets that the node does not return. Only on nodes"
                    + " with the plugin weir-data-node. 0: no limit.")
        int maxBuckets) {
  /** No ceiling. */
  public static final NodeCeilingPolicy NONE = new NodeCeilingPolicy(new ByteSize(0), 0);
}
