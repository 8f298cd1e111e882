package dev.weir.core.coordinate.write;

/** Where a part of a write goes, by one view of the cluster. */
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
   * @param cause the client's error when no such view comes in time
   */
  record RetryLater(Exception cause) implements WriteTarget {}

  /**
   * It can't be sent.
   *
   * @param cause the client's error
   */
  record Rejected(Exception cause) implements WriteTarget {}

  /** Its index or shard is no longer in the view: plan again. */
  record Missing() implements WriteTarget {}
}
