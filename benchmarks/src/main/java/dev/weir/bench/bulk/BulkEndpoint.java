package dev.weir.bench.bulk;

import java.net.InetSocketAddress;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param address of its REST endpoint
 * @param pid of its process
 * @param index the index that it writes to
 */
record BulkEndpoint(String name, InetSocketAddress address, long pid, String index) {
  static final String COORDINATING_NODE = "coordinating-only node";
  static final String PLAIN = "weir, plain bulk";
  static final String SINGLE_SHARD = "weir, single-shard bulk";
}
