package dev.weir.rest;

import dev.weir.model.PassThroughException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.NamedObjectNotFoundException;
import org.opensearch.core.xcontent.XContentParseException;
import org.opensearch.search.sort.FieldSortBuilder;

/** Tells failures that only a node can judge from those that are the client's. */
final class PassThroughClassifier {
  /** Longer chains of causes are not followed; OpenSearch's own are a handful long. */
  private static final int MAX_CAUSES = 20;

  /** Says {@code NamedXContentRegistry} of a kind that no plugin here has one of, such as ext. */
  private static final String UNKNOWN_CATEGORY = "unknown named object category [";

  /** What is no known kind of sort is read as a field's, and a plugin's then has other options. */
  private static final String UNKNOWN_SORT = "[" + FieldSortBuilder.NAME + "] unknown field [";

  private PassThroughClassifier() {}

  /**
   * Why a request that failed like this must pass through to a node; null when the failure is the
   * answer. A name that is not registered here may be a plugin's on the nodes. Such an exception
   * never comes from a node itself: over the wire it changes its class.
   */
  static @Nullable String passThroughReason(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof PassThroughException passThrough) {
        return passThrough.reason();
      }
      if (cause instanceof XContentParseException unread && isUnknownName(unread)) {
        return PassThroughReasons.UNKNOWN_NAME;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isUnknownName(XContentParseException failure) {
    if (failure instanceof NamedObjectNotFoundException) {
      return true;
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains(UNKNOWN_CATEGORY) || message.contains(UNKNOWN_SORT);
  }
}
