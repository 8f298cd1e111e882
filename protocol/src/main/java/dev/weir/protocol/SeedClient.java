package dev.weir.protocol;

/**
 * A client of a node that was found by its address; {@link #endpoint()} contains what the node
 * reported in the handshake. The caller that requested it closes it.
 */
public interface SeedClient extends NodeClient, AutoCloseable {
  /** Returns the cluster name from the handshake. */
  String clusterName();

  /** Rejects further calls; the channels close when no call is in flight. */
  @Override
  void close();
}
