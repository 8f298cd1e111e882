package dev.weir.core.actions.forward;

import dev.weir.core.actions.passthrough.ForwardableSearchClassifier;
import dev.weir.core.actions.passthrough.SearchPassThroughChecker;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.SearchRequest;

/** The searches of a multi-search that a node coordinates while the gateway does the others. */
public final class ForwardedParts {
  private final IdentityHashMap<SearchRequest, String> reasons = new IdentityHashMap<>(0);

  private ForwardedParts() {}

  /**
   * Finds them.
   *
   * @throws PassThroughException when a node must answer all of them
   */
  public static ForwardedParts find(
      MultiSearchRequest request, SearchForwarder forwarder, RequestContext context) {
    ForwardedParts parts = new ForwardedParts();
    boolean canForward = false;
    for (SearchRequest search : request.requests()) {
      String reason = SearchPassThroughChecker.reason(search);
      if (reason == null) {
        continue;
      }
      // asked once: it looks at every index
      canForward = canForward || forwarder.canForward(context);
      if (!canForward || !ForwardableSearchClassifier.isForwardable(search, reason)) {
        throw new PassThroughException(reason);
      }
      parts.reasons.put(search, reason);
      if (parts.reasons.size() == request.requests().size()) {
        throw new PassThroughException(reason);
      }
    }
    return parts;
  }

  /** Returns why a node coordinates a search; null if the gateway does. */
  public @Nullable String reason(SearchRequest search) {
    return reasons.get(search);
  }
}
