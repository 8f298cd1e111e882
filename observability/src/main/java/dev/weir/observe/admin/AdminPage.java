package dev.weir.observe.admin;

/** Answers the requests to one path; called on a virtual thread, several at once. */
@FunctionalInterface
public interface AdminPage {
  /** Renders the current page. */
  AdminResponse render();
}
