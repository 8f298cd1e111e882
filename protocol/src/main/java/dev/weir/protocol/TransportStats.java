package dev.weir.protocol;

import java.util.List;

/**
 * The transport's counters, read one after the other.
 *
 * @param nodes one entry for each known node and each node that drains, and one for all seeds
 * @param heldFrames received frames in memory now; zero when idle
 * @param heldBytes the bytes reserved for them; zero when idle
 * @param unsentBytes the bytes of frames that wait for their sockets; zero when idle
 */
public record TransportStats(List<Node> nodes, long heldFrames, long heldBytes, long unsentBytes) {
  /**
   * The counters of one node, over all of its channels, or those of all seeds.
   *
   * @param id the node's id; empty for seeds
   * @param name the node's name; empty for seeds
   * @param openChannels channels open now
   * @param inFlight calls sent without a response yet; zero when idle
   * @param pending calls that wait for a channel; zero when idle
   * @param sent requests sent since start
   * @param zstdRequests the part of {@code sent} that is in the plugin's format, and whose response
   *     may be compressed by zstd
   * @param responses responses read, errors included
   * @param timeouts calls that timed out
   * @param rejections calls rejected at a bound or without an open channel
   * @param orphanedResponses responses without a waiting call
   * @param bytesIn bytes received
   * @param bytesOut bytes sent
   * @param connects channels opened
   * @param connectFailures failed attempts to connect
   * @param disconnects channels lost
   * @param lastError why a channel was last lost or not opened; empty after a channel is open again
   */
  public record Node(
      String id,
      String name,
      int openChannels,
      long inFlight,
      long pending,
      long sent,
      long zstdRequests,
      long responses,
      long timeouts,
      long rejections,
      long orphanedResponses,
      long bytesIn,
      long bytesOut,
      long connects,
      long connectFailures,
      long disconnects,
      String lastError) {}

  /** Returns the calls sent to all nodes without a response yet. */
  public long inFlight() {
    return nodes.stream().mapToLong(Node::inFlight).sum();
  }

  /** Returns the calls that wait for a channel, over all nodes. */
  public long pending() {
    return nodes.stream().mapToLong(Node::pending).sum();
  }

  /** Returns the responses of all nodes without a waiting call. */
  public long orphanedResponses() {
    return nodes.stream().mapToLong(Node::orphanedResponses).sum();
  }
}
