package dev.weir.core.coordinate.write;

import java.util.List;

/** What a write does next, by one view of the cluster. */
public sealed interface WriteStep {
  /** The view forbids something: read it again once before the client gets an error. */
  record ConfirmView() implements WriteStep {}

  /** The first operations were done and the view does not show them yet: wait for a newer one. */
  record AwaitNewerView() implements WriteStep {}

  /**
   * Nothing can be sent now; a later view may allow it.
   *
   * @param cause the client's error when no such view comes in time
   */
  record RetryLater(Exception cause) implements WriteStep {}

  /**
   * Run these first, such as creating an index; then plan again.
   *
   * @param operations what comes first
   */
  record RunFirst(List<? extends WriteOperation<?>> operations) implements WriteStep {}

  /**
   * Send these; they are all that is left.
   *
   * @param operations one for each shard; none when every item has its result
   */
  record Send(List<? extends WriteOperation<?>> operations) implements WriteStep {}

  /**
   * The whole write failed.
   *
   * @param cause the client's error
   */
  record Fail(Exception cause) implements WriteStep {}
}
