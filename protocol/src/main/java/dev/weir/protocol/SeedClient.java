package dev.weir.protocol;

/**
 * A client of a node that was reached by its address; {@link #endpoint()} is what the node said in
 * the handshake. Whoever asked for it closes it.
 */
public interface SeedClient extends NodeClient, AutoCloseable {
  /** The name of the node's cluster, as it said in the handshake. */
  String clusterName();

  /** Takes no more calls; the channels close when nothing is in flight any more. */
  @Override
  void close();
}
