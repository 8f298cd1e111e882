package dev.weir.bench.hotnode;

import dev.weir.bench.MeasuredEndpoint;
import java.net.InetSocketAddress;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param address of its REST endpoint
 * @param pid of its process
 * @param parameters query parameters of its searches, beginning with an ampersand; may be empty
 */
record HotNodeEndpoint(String name, InetSocketAddress address, long pid, String parameters) {
  static final String COORDINATING_NODE = "coordinating-only node";
  static final String WEIR = "weir";
  static final String LEAST_OUTSTANDING = "weir, least outstanding";
  static final String ORACLE = "oracle";
  static final String HAPROXY = "HAProxy, least conn";

  MeasuredEndpoint measured() {
    return new MeasuredEndpoint(name, address, pid);
  }
}
