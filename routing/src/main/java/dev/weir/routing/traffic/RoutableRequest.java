package dev.weir.routing.traffic;

import dev.weir.config.policy.PacingPolicy.Action;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The properties of a request that routes match. Each is computed on first use, except headers. */
public interface RoutableRequest {
  /** Returns the method in upper case. */
  String method();

  /** Returns the kind of request. */
  Action action();

  /** Returns the indices in the path as written; only {@code *} for none. */
  List<String> indices();

  /** Returns the first value of a header; null for none. */
  @Nullable String header(String name);

  /** Returns the user name of HTTP basic credentials; null for none. */
  @Nullable String user();

  /** Returns the tenant of the request. */
  String tenant();
}
