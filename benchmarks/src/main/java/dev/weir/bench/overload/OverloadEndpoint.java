package dev.weir.bench.overload;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param addresses clients go to each in turn
 */
record OverloadEndpoint(String name, List<InetSocketAddress> addresses) {
  static final String WEIR = "weir";
  static final String COORDINATOR = "coordinating-only node";
  static final String PLAIN = "the data nodes themselves";
}
