package dev.weir.protocol;

import java.util.List;

/**
 * What the transport counted, at one moment; the parts are read one after the other.
 *
 * @param nodes one a known node, those that are being left included
 * @param heldFrames received frames whose memory is held now; zero at rest
 * @param heldBytes how many bytes they were charged for; zero at rest
 * @param unsentBytes how many bytes of frames wait for their sockets; zero at rest
 */
public record TransportStats(List<Node> nodes, long heldFrames, long heldBytes, long unsentBytes) {
  /**
   * What was counted for one node, over all its channels.
   *
   * @param id the node's id; empty for a seed
   * @param name the node's name
   * @param openChannels channels that are open now
   * @param inFlight calls sent and not answered yet; zero at rest
   * @param pending calls that wait for a channel; zero at rest
   * @param sent requests sent since start
   * @param responses answers read, errors included
   * @param timeouts calls that timed out
   * @param rejections calls that were refused because a bound was reached or no channel was open
   * @param orphanedResponses answers that nobody waited for any more
   * @param bytesIn bytes received
   * @param bytesOut bytes sent
   * @param connects channels that were opened
   * @param connectFailures attempts that failed
   * @param disconnects channels that were lost
   * @param lastError why a channel was last lost or not opened; empty once one is open again
   */
  public record Node(
      String id,
      String name,
      int openChannels,
      long inFlight,
      long pending,
      long sent,
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

  /** Calls sent and not answered yet, of all nodes. */
  public long inFlight() {
    return nodes.stream().mapToLong(Node::inFlight).sum();
  }

  /** Calls that wait for a channel, of all nodes. */
  public long pending() {
    return nodes.stream().mapToLong(Node::pending).sum();
  }

  /** Answers that nobody waited for any more, of all nodes. */
  public long orphanedResponses() {
    return nodes.stream().mapToLong(Node::orphanedResponses).sum();
  }
}
