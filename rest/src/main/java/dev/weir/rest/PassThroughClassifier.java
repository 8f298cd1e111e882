package dev.weir.rest;

import dev.weir.model.PassThroughException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.NamedObjectNotFoundException;
import org.opensearch.core.xcontent.XContentParseException;
import org.opensearch.search.sort.FieldSortBuilder;

/** Distinguishes failures that require a pass-through to a node from errors of the client. */
final class PassThroughClassifier {
  /** The maximum number of causes that are followed; OpenSearch's chains have a handful. */
  private static final int MAX_CAUSES = 20;

  /**
   * The message of {@code NamedXContentRegistry} for a category without any local plugin, for
   * example ext.
   */
  private static final String UNKNOWN_CATEGORY = "unknown named object category [";

  /**
   * An unknown kind of sort is parsed as a field sort; a plugin's sort then has unknown options.
   */
  private static final String UNKNOWN_SORT = "[" + FieldSortBuilder.NAME + "] unknown field [";

  /**
   * Names that plugins in OpenSearch's own distribution register (k-NN, neural search, learning to
   * rank, geospatial), and the gateway does not.
   */
  private static final Set<String> PLUGIN_NAMES =
      Set.of(
          "knn",
          "neural",
          "neural_sparse",
          "neural_knn",
          "hybrid",
          "agentic",
          "sltr",
          "stored_ltr",
          "validating_ltr_query",
          "xy_shape",
          "geohex_grid");

  private PassThroughClassifier() {}

  /**
   * Returns the reason to pass a failed request through to a node; null if the failure is the
   * response. A plugin on the nodes may know a name that is not registered here. A node itself
   * never sends such an exception: serialization changes its class.
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

  /**
   * Returns the reason why only a node can answer a request whose format no node supports; null if
   * the failure is the response. A name that is not registered here is then an error of the client,
   * as on a node, unless a well-known plugin registers it.
   */
  static @Nullable String reasonWithoutNode(Throwable failure) {
    String reason = passThroughReason(failure);
    return PassThroughReasons.UNKNOWN_NAME.equals(reason) && !isPluginName(failure) ? null : reason;
  }

  private static boolean isPluginName(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      String message = String.valueOf(cause.getMessage());
      if (message.contains(UNKNOWN_CATEGORY)
          || (cause instanceof NamedObjectNotFoundException
              && PLUGIN_NAMES.stream().anyMatch(name -> message.contains("[" + name + "]")))) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean isUnknownName(XContentParseException failure) {
    if (failure instanceof NamedObjectNotFoundException) {
      return true;
    }
    String message = String.valueOf(failure.getMessage());
    return message.contains(UNKNOWN_CATEGORY) || message.contains(UNKNOWN_SORT);
  }
}
