package dev.weir.core.coordinate;

import java.util.List;

/** What a write does next, by one view of the cluster. */
public sealed interface WriteStep {
  /** The view says no to something: it is read anew once before the client is told so. */
  record ConfirmView() implements WriteStep {}

  /** What came first was done and the view does not show it yet: a later one will. */
  record AwaitNewerView() implements WriteStep {}

  /**
   * Nothing can be sent now; a later view may allow it.
   *
   * @param cause what the client is told when there is no such view in time
   */
  record RetryLater(Exception cause) implements WriteStep {}

  /**
   * These come first, such as creating an index; then it is planned again.
   *
   * @param operations what comes first
   */
  record RunFirst(List<? extends WriteOperation<?>> operations) implements WriteStep {}

  /**
   * These are all that is left to do.
   *
   * @param operations one a shard; none when everything has been answered
   */
  record Send(List<? extends WriteOperation<?>> operations) implements WriteStep {}

  /**
   * The whole write failed.
   *
   * @param cause what the client is told
   */
  record Fail(Exception cause) implements WriteStep {}
}
