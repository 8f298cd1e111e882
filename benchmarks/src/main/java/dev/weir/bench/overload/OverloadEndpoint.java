package dev.weir.bench.overload;

import dev.weir.bench.MeasuredEndpoint;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param addresses clients go to each in turn
 * @param pid of its process; {@link MeasuredEndpoint#NO_PROCESS} for the data nodes themselves
 */
record OverloadEndpoint(String name, List<InetSocketAddress> addresses, long pid) {
  static final String WEIR = "weir";
  static final String COORDINATOR = "coordinating-only node";
  static final String PLAIN = "the data nodes themselves";

  MeasuredEndpoint measured() {
    return new MeasuredEndpoint(name, addresses, pid, pid != MeasuredEndpoint.NO_PROCESS);
  }
}
