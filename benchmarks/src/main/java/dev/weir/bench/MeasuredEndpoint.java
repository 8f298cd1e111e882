package dev.weir.bench;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * A measured path into the cluster.
 *
 * @param name for the table
 * @param addresses of its REST endpoints; clients are spread over them
 * @param pid of its process; {@link #NO_PROCESS} for the data nodes themselves
 * @param isJvm whether the process is a JVM, whose allocations can be read
 */
public record MeasuredEndpoint(
    String name, List<InetSocketAddress> addresses, long pid, boolean isJvm) {
  /** The process id of a path without a process between clients and data nodes. */
  public static final long NO_PROCESS = -1;

  /** Creates the path through a JVM. */
  public MeasuredEndpoint(String name, InetSocketAddress address, long pid) {
    this(name, List.of(address), pid, true);
  }

  /** Returns the first address. */
  public InetSocketAddress address() {
    return addresses.getFirst();
  }

  /** Returns what its process has used so far; nothing without one. */
  ProcessUsage usage() {
    return pid == NO_PROCESS ? ProcessUsage.NONE : ProcessUsage.read(pid);
  }
}
