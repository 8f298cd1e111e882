package dev.weir.gateway.parse;

import dev.weir.model.PassThroughException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.NamedObjectNotFoundException;

/** Tells failures that only a node can judge from those that are the client's. */
final class NodesBusiness {
  /** Longer chains of causes are not followed; OpenSearch's own are a handful long. */
  private static final int MAX_CAUSES = 20;

  private NodesBusiness() {}

  /**
   * Why a request that failed like this must pass through to a node; null when the failure is the
   * answer. A name that is not registered here may be a plugin's on the nodes. Such an exception
   * never comes from a node itself: over the wire it changes its class.
   */
  static @Nullable String reason(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof PassThroughException passThrough) {
        return passThrough.reason();
      }
      if (cause instanceof NamedObjectNotFoundException) {
        return PassThroughReasons.UNKNOWN_NAME;
      }
      cause = cause.getCause();
    }
    return null;
  }
}
