package dev.weir.routing.tail;

/**
 * The permission of one search to start over because a node stalls. Its holder ends it once, when
 * the search has ended. Safe on any thread.
 */
public interface RestartPermit {
  /** A permission that tokens paid for: its end changes nothing. */
  RestartPermit PAID = () -> {};

  /** Makes room for another search; a second call does nothing. */
  void end();
}
