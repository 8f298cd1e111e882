package dev.weir.advice.snapshot;

/**
 * The REST APIs that are read, each once. {@code filter_path} leaves out what no check needs, so
 * that a response has tens of bytes for each index, alias, copy of a shard or node. Only {@link
 * #MAPPINGS} has the mappings, which are counted while they are read, and {@link #ALIASES} the
 * filters of aliases; neither is kept.
 */
public enum ApiSource {
  /** Settings of the cluster, with the defaults of the elected manager's own configuration. */
  CLUSTER_SETTINGS(
      "/_cluster/settings?flat_settings=true&include_defaults=true"
          + "&filter_path=persistent,transient,defaults.cluster*,defaults.indices*"),
  /** Versions, roles, attributes, heaps and plugins of the nodes. */
  NODES(
      "/_nodes/jvm,process,plugins?filter_path=nodes.*.name,nodes.*.host,nodes.*.version"
          + ",nodes.*.roles,nodes.*.attributes,nodes.*.jvm.mem.heap_max_in_bytes"
          + ",nodes.*.jvm.using_compressed_ordinary_object_pointers,nodes.*.process.mlockall"
          + ",nodes.*.plugins.name"),
  /** Memory and disks of the machines. */
  NODE_STATS(
      "/_nodes/stats/os,fs?filter_path=nodes.*.os.mem.total_in_bytes,nodes.*.os.swap"
          + ",nodes.*.os.cgroup.memory.limit_in_bytes,nodes.*.fs.total"),
  /** Documents, bytes and segments of the indices. */
  INDICES(
      "/_cat/indices?format=json&bytes=b&expand_wildcards=all"
          + "&h=index,status,pri,rep,docs.count,docs.deleted,pri.store.size,pri.segments.count"
          + ",pri.indexing.index_total"),
  /** The settings of the indices that differ from the defaults. */
  INDEX_SETTINGS(
      "/_all/_settings?flat_settings=true&expand_wildcards=all&filter_path=*.settings.index*"),
  /** The copies of shards. */
  SHARDS(
      "/_cat/shards?format=json&bytes=b&h=index,shard,prirep,state,node,store,search.query_total"),
  /** When each copy was opened: the end of its last recovery. */
  RECOVERIES(
      "/_cat/recovery?format=json&active_only=false&h=index,shard,target_node,stop_time_millis"),
  /** Fields of the indices. */
  MAPPINGS("/_all/_mapping?expand_wildcards=open"),
  /** The aliases of the indices, also those that do not say which index is written to. */
  ALIASES("/_alias"),
  /** The indices of data streams. */
  DATA_STREAMS("/_data_stream?filter_path=data_streams.indices.index_name"),
  /** Nodes that were excluded from voting. The index name matches none, so no index is written. */
  COORDINATION(
      "/_cluster/state/metadata/weir-advise-none-*?ignore_unavailable=true"
          + "&filter_path=metadata.cluster_coordination.voting_config_exclusions"),
  /** What the gateway counted: of its admin port. */
  TRAFFIC("/stats"),
  /** The gateway's configuration in force: of its admin port. */
  GATEWAY_CONFIG("/config");

  private final String path;

  ApiSource(String path) {
    this.path = path;
  }

  /** Returns the path with the query. */
  public String path() {
    return path;
  }

  boolean isOfAdminPort() {
    return this == TRAFFIC || this == GATEWAY_CONFIG;
  }
}
