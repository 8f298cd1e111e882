package dev.weir.node.load;

import dev.weir.node.columns.ColumnFetchAction;
import org.jspecify.annotations.Nullable;
import org.opensearch.threadpool.ThreadPool;

/** The kinds of work of which a node reports a service time. */
enum WorkKind {
  /** The query phase of a search, with the fetch phase if both are one request. */
  QUERY(ThreadPool.Names.SEARCH),
  /** The fetch phase of a search. */
  FETCH(ThreadPool.Names.SEARCH),
  /** Reads of single documents. */
  GET(ThreadPool.Names.GET),
  /** Writes to a primary. */
  WRITE(ThreadPool.Names.WRITE);

  private final String pool;

  WorkKind(String pool) {
    this.pool = pool;
  }

  /** Returns the name of the thread pool that does this work. */
  String pool() {
    return pool;
  }

  /**
   * Returns the work of a transport action that gateways send; null for any other action. The names
   * are those of OpenSearch 3.8: {@code SearchTransportService}, {@code
   * TransportSingleShardAction}, {@code TransportReplicationAction} and {@code
   * TransportInstanceSingleOperationAction}.
   */
  static @Nullable WorkKind ofAction(String action) {
    return switch (action) {
      case "indices:data/read/search[phase/query]",
          "indices:data/read/search[phase/query/id]",
          "indices:data/read/search[phase/query/scroll]",
          "indices:data/read/search[phase/query+fetch/scroll]" ->
          QUERY;
      case "indices:data/read/search[phase/fetch/id]",
          "indices:data/read/search[phase/fetch/id/scroll]",
          ColumnFetchAction.NAME ->
          FETCH;
      case "indices:data/read/get[s]",
          "indices:data/read/mget[shard][s]",
          "indices:data/read/explain[s]",
          "indices:data/read/tv[s]",
          "indices:data/read/mtv[shard][s]" ->
          GET;
      case "indices:data/write/bulk[s]", "indices:data/write/update[s]" -> WRITE;
      default -> null;
    };
  }
}
