package dev.weir.core.actions;

import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.cluster.metadata.Metadata;

/**
 * Parses scroll ids, and bounds the search contexts that they name: a client can forge an id of any
 * number, at nine bytes a context. Stateless.
 */
final class ScrollIdParser {
  /** Leaves room for scrolls over indices that have been deleted since. */
  private static final int MIN_CONTEXT_LIMIT = 1000;

  private ScrollIdParser() {}

  /**
   * Parses an id.
   *
   * @param metadata of the newest cluster view
   * @throws IllegalArgumentException for an id that no scroll of this cluster has
   * @throws PassThroughException for an id with contexts in other clusters
   */
  static ParsedScrollId parse(String id, Metadata metadata) {
    ParsedScrollId parsed = SearchInternals.parseScrollId(id);
    for (SearchContextIdForNode context : parsed.getContext()) {
      if (context.getClusterAlias() != null) {
        throw new PassThroughException(PassThroughReasons.CROSS_CLUSTER);
      }
    }
    int contexts = parsed.getContext().length;
    long limit = contextLimit(metadata);
    if (contexts > limit) {
      throw new IllegalArgumentException(
          "Cannot parse scroll id: got "
              + contexts
              + " search contexts (expected: at most "
              + limit
              + ")");
    }
    return parsed;
  }

  /**
   * Returns the contexts of several ids.
   *
   * @throws PassThroughException also if the ids together name more contexts than one may
   */
  static List<SearchContextIdForNode> parseContexts(List<String> ids, Metadata metadata) {
    long limit = contextLimit(metadata);
    List<SearchContextIdForNode> contexts = new ArrayList<>();
    for (String id : ids) {
      Collections.addAll(contexts, parse(id, metadata).getContext());
      if (contexts.size() > limit) {
        throw new PassThroughException(PassThroughReasons.COSTLY_BODY);
      }
    }
    return contexts;
  }

  /** A scroll has one context for each shard that it searches. */
  private static long contextLimit(Metadata metadata) {
    return Math.max(MIN_CONTEXT_LIMIT, 2L * metadata.getTotalNumberOfShards());
  }
}
