package dev.weir.observe.admin;

import java.util.Map;

/** A page that heeds the query of its address; called on a virtual thread, several at once. */
@FunctionalInterface
public interface ParameterizedAdminPage {
  /**
   * The page as it is now.
   *
   * @param query decoded parameters by name; of several with one name the first
   */
  AdminResponse render(Map<String, String> query);
}
