package dev.weir.core.actions.contexts;

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
public final class ScrollIdParser {
  private ScrollIdParser() {}

  /**
   * Parses an id.
   *
   * @param metadata of the newest cluster view
   * @throws IllegalArgumentException for an id that no scroll of this cluster has
   * @throws PassThroughException for an id with contexts in other clusters
   */
  public static ParsedScrollId parse(String id, Metadata metadata) {
    ParsedScrollId parsed = SearchInternals.parseScrollId(id);
    for (SearchContextIdForNode context : parsed.getContext()) {
      if (context.getClusterAlias() != null) {
        throw new PassThroughException(PassThroughReasons.CROSS_CLUSTER);
      }
    }
    ContextLimit.check("scroll", parsed.getContext().length, ContextLimit.of(metadata));
    return parsed;
  }

  /**
   * Returns the contexts of several ids.
   *
   * @param metadata of the newest cluster view
   * @throws IllegalArgumentException for an id that no scroll of this cluster has
   * @throws PassThroughException for an id with contexts in other clusters, or if the ids together
   *     name more contexts than one may
   */
  public static List<SearchContextIdForNode> parseContexts(List<String> ids, Metadata metadata) {
    long limit = ContextLimit.of(metadata);
    List<SearchContextIdForNode> contexts = new ArrayList<>();
    for (String id : ids) {
      Collections.addAll(contexts, parse(id, metadata).getContext());
      if (contexts.size() > limit) {
        throw new PassThroughException(PassThroughReasons.COSTLY_BODY);
      }
    }
    return contexts;
  }
}
