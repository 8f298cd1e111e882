package dev.weir.bench.bulk;

import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;

/**
 * Creates and deletes the indices that bulks write to.
 *
 * @param replicas of each shard
 * @param refresh the refresh interval, in OpenSearch's notation
 */
record WriteIndex(DataNodeCluster cluster, int replicas, String refresh) {
  /** The prefix of indices whose bulks each go to one shard. */
  static final String SINGLE_SHARD_INDEX = "single-shard-";

  /** The prefix of all other indices. */
  static final String PLAIN_INDEX = "plain-";

  void create(String name, int shards) {
    rest()
        .send(
            "PUT",
            "/" + name,
            "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":%d,\"refresh_interval\":\"%s\"},\"mappings\":%s}"
                .formatted(shards, replicas, refresh, LogLines.MAPPING))
        .orThrow();
    cluster.awaitGreen();
  }

  void delete(String name) {
    rest().send("DELETE", "/" + name).orThrow();
  }

  /** Makes all written documents searchable. */
  void refresh(String name) {
    rest().send("POST", "/" + name + "/_refresh").orThrow();
  }

  private RestClient rest() {
    return cluster.rest();
  }
}
