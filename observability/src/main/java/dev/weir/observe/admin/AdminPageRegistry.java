package dev.weir.observe.admin;

/**
 * Takes the admin pages of a feature, by method and path. A feature registers its pages once, while
 * the gateway starts; pages are called later, on virtual threads. A part of a path in braces, as in
 * {@code /nodes/{node}/drain}, stands for any text, which a page with parameters gets under that
 * name.
 */
public interface AdminPageRegistry {
  /** Adds a read-only page. */
  AdminPageRegistry get(String path, AdminPage page);

  /** Adds a read-only page with query parameters. */
  AdminPageRegistry getWithQuery(String path, ParameterizedAdminPage page);

  /** Adds a page that changes state; browsers on pages of other sites are rejected. */
  AdminPageRegistry post(String path, AdminPage page);

  /** Adds a page that changes state, with query parameters. */
  AdminPageRegistry postWithQuery(String path, ParameterizedAdminPage page);
}
