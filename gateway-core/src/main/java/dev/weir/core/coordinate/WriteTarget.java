package dev.weir.core.coordinate;

/** Where a piece of a write goes, by one view of the cluster. */
public sealed interface WriteTarget {
  /**
   * It goes to this node.
   *
   * @param nodeId the node with the primary
   */
  record Node(String nodeId) implements WriteTarget {}

  /**
   * It can't be sent now; a later view may allow it.
   *
   * @param cause what the client is told when there is no such view in time
   */
  record RetryLater(Exception cause) implements WriteTarget {}

  /**
   * It can't be sent.
   *
   * @param cause what the client is told
   */
  record Rejected(Exception cause) implements WriteTarget {}

  /** What it was meant for is gone from the view: it must be planned anew. */
  record Missing() implements WriteTarget {}
}
