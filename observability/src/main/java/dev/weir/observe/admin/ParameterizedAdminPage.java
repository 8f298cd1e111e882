package dev.weir.observe.admin;

import java.util.Map;

/** An admin page with query parameters; called on a virtual thread, several at once. */
@FunctionalInterface
public interface ParameterizedAdminPage {
  /**
   * Renders the current page.
   *
   * @param query decoded parameters by name; the first value of a repeated parameter
   */
  AdminResponse render(Map<String, String> query);
}
