package dev.weir.cluster.capability;

/** A part of the plugin that the gateway uses at nodes that have it. */
public enum Capability {
  /** The node answers with the changes between two cluster states. */
  CLUSTER_STATE_DIFFS("cluster-state-diffs"),

  /** The node answers with the generations of the readers of copies of shards. */
  READER_GENERATIONS("reader-generations"),

  /** The node returns the documents of a search as columns of doc values. */
  COLUMN_FETCH("column-fetch"),

  /** The node reports its load with the responses to shard requests. */
  LOAD_FEEDBACK("load-feedback"),

  /** The node reads requests, and writes responses, whose payload is compressed by zstd. */
  ZSTD_PAYLOADS("zstd-payloads"),

  /** The node takes the requests of a search to several of its shards in one message. */
  SHARD_BATCHES("shard-batches"),

  /** The node runs the ingest pipelines of documents and returns the documents. */
  INGEST_PIPELINES("ingest-pipelines"),

  /** The node takes the parts of a bulk for several of its shards in one message. */
  BULK_BATCHES("bulk-batches"),

  /** The node leaves out of the results of several shards hits that can't be in the response. */
  PARTIAL_REDUCTION("partial-reduction"),

  /** The node does so for hits in the order of fields. */
  PARTIAL_FIELD_SORTS("partial-field-sorts"),

  /** The node merges the aggregations of several shards. */
  PARTIAL_AGGREGATIONS("partial-aggregations");

  private final String wireName;

  Capability(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name by which nodes announce it. */
  public String wireName() {
    return wireName;
  }
}
