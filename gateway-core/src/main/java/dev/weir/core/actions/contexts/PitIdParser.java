package dev.weir.core.actions.contexts;

import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.opensearch.action.search.SearchContextId;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.Strings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/**
 * Parses the ids of points in time, and bounds the search contexts that they name: a node gets the
 * whole id for each context that it frees, so that the messages of a forged id grow with the square
 * of its length. Stateless.
 */
public final class PitIdParser {
  /** More than a context takes: the names of its index and node, and some ids. */
  private static final long CHARS_PER_CONTEXT = 1024;

  private PitIdParser() {}

  /**
   * Parses the id of a point in time to search in, whatever contexts it names.
   *
   * @throws IllegalArgumentException for what is no id
   * @throws PassThroughException for an id with contexts in other clusters
   */
  public static SearchContextId parse(NamedWriteableRegistry writeables, String id) {
    SearchContextId contexts = SearchContextId.decode(writeables, id);
    for (SearchContextIdForNode context : contexts.shards().values()) {
      if (!Strings.isEmpty(context.getClusterAlias())) {
        throw new PassThroughException(PassThroughReasons.CROSS_CLUSTER);
      }
    }
    return contexts;
  }

  /**
   * Returns what several ids of points in time to delete name, by id and in their order.
   *
   * @param ids repeated ones count once
   * @param metadata of the newest cluster view
   * @throws IllegalArgumentException for an id that no point in time of this cluster has
   * @throws PassThroughException for an id with contexts in other clusters, or if the ids together
   *     name more contexts than one may
   */
  public static Map<String, SearchContextId> parseAll(
      NamedWriteableRegistry writeables, Collection<String> ids, Metadata metadata) {
    long limit = ContextLimit.of(metadata);
    long contexts = 0;
    Map<String, SearchContextId> parsed = new LinkedHashMap<>();
    for (String id : ids) {
      if (parsed.containsKey(id)) {
        continue;
      }
      SearchContextId one = parse(writeables, id);
      ContextLimit.check("point in time", one.shards().size(), limit);
      checkLength(id, one.shards().size(), limit);
      contexts += one.shards().size();
      if (contexts > limit) {
        throw new PassThroughException(PassThroughReasons.COSTLY_BODY);
      }
      parsed.put(id, one);
    }
    return parsed;
  }

  private static void checkLength(String id, int contexts, long limit) {
    long most = Math.max(limit * (1 << 20) / Math.max(1, contexts), contexts * CHARS_PER_CONTEXT);
    if (id.length() > most) {
      throw new IllegalArgumentException(
          "Cannot parse point in time id: got %d characters for %d search contexts (expected: at most %d)"
              .formatted(id.length(), contexts, most));
    }
  }
}
