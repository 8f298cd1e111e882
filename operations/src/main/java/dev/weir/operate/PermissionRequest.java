package dev.weir.operate;

import org.jspecify.annotations.Nullable;

/**
 * A request of which a node says whether its user may send it.
 *
 * @param path with the query, if any
 * @param json its body; null for none
 */
record PermissionRequest(String method, String path, @Nullable String json) {
  /** The same path, for a node that carries nothing of the request out. */
  String dryRunPath() {
    return path + (path.contains("?") ? "&" : "?") + "perform_permission_check=true";
  }
}
