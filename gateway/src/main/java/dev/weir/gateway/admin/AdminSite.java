package dev.weir.gateway.admin;

/**
 * What one port serves, and to whom.
 *
 * @param pages for callers that {@code access} admits
 * @param publicPages for all others; they show no more than the status
 */
public record AdminSite(AdminRouter pages, AdminRouter publicPages, AdminAccess access) {
  /** A site that everyone who reaches the port may see. */
  public static AdminSite unrestricted(AdminRouter pages) {
    return new AdminSite(pages, pages, AdminAccess.unrestricted());
  }
}
