package dev.weir.bench.bulk;

import java.net.InetSocketAddress;

/**
 * One way into the cluster.
 *
 * @param name for the table
 * @param address its REST endpoint
 * @param pid its process
 * @param index the name of the index that it writes to
 */
record BulkEndpoint(String name, InetSocketAddress address, long pid, String index) {
  static final String COORDINATING_NODE = "coordinating-only node";
  static final String MULTI_SHARD = "weir, undirected";
  static final String SINGLE_SHARD = "weir, directed";
}
