package dev.weir.observe.admin;

import java.time.Duration;

/** Answers the requests to one path; called on a virtual thread, several at once. */
@FunctionalInterface
public interface AdminPage {
  /**
   * How long a page may take: the admin port closes a connection that waits longer than a minute
   * for its response.
   */
  Duration MAX_DURATION = Duration.ofSeconds(45);

  /** Renders the current page. */
  AdminResponse render();
}
