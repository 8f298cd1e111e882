package dev.weir.observe.admin;

/**
 * Takes the admin pages of a feature, by method and path. A feature registers its pages once, while
 * the gateway starts; pages are called later, on virtual threads.
 */
public interface AdminPageRegistry {
  /** Adds a page that only shows something. */
  AdminPageRegistry get(String path, AdminPage page);

  /** Adds a page that shows what the query of its address asks for. */
  AdminPageRegistry getWithQuery(String path, ParameterizedAdminPage page);

  /** Adds a page that changes something; browsers on other sites' pages are refused. */
  AdminPageRegistry post(String path, AdminPage page);

  /** Adds a page that changes what the query of its address asks for. */
  AdminPageRegistry postWithQuery(String path, ParameterizedAdminPage page);
}
