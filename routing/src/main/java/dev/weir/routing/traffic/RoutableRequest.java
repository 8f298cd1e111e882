package dev.weir.routing.traffic;

import dev.weir.config.policy.PacingPolicy.Action;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What routes look at of a request; each is found when it is asked for, once but for headers. */
public interface RoutableRequest {
  /** The method in upper case. */
  String method();

  /** What kind of request it is. */
  Action action();

  /** The indices that the path names, as they are written; {@code *} alone for none. */
  List<String> indices();

  /** The first value of a header; null for none. */
  @Nullable String header(String name);

  /** The name in HTTP basic credentials; null for none. */
  @Nullable String user();

  /** The tenant of the request. */
  String tenant();
}
