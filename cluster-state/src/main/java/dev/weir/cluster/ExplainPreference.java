package dev.weir.cluster;

import dev.weir.model.ShardCopy;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.routing.Preference;

/**
 * Gives a node a preference of an {@code _explain} request that it takes in place of one that only
 * the gateway takes: the same shards, and the node of the copy that the client's string chooses.
 * Pure; safe on any thread.
 */
public final class ExplainPreference {
  private static final String EXPLAIN = "/_explain/";
  private static final String PREFERENCE = "preference=";
  private static final String ROUTING = "routing=";

  private ExplainPreference() {}

  /**
   * Rewrites the preference.
   *
   * @param views called for requests that may need it only
   * @param uri path and query
   * @return the same string for all other requests, and where the shards don't have the document or
   *     the index isn't known: a node then answers with an error
   */
  public static String rewrite(Supplier<ClusterView> views, String uri) {
    int explain = uri.indexOf(EXPLAIN);
    int query = explain < 0 ? -1 : uri.indexOf('?', explain);
    if (explain < 1 || query < 0) {
      return uri;
    }
    String[] pairs = uri.substring(query + 1).split("[&;]", -1);
    ShardsPreference restricted = ShardsPreference.parse(valueOf(pairs, PREFERENCE));
    if (restricted == null) {
      return uri;
    }
    String name = decodePath(uri.substring(1, explain));
    String id = decodePath(uri.substring(explain + EXPLAIN.length(), query));
    ClusterView view = views.get();
    String node = nodeOf(view, name, id, valueOf(pairs, ROUTING), restricted);
    if (node == null) {
      return uri;
    }
    String known = restricted.shards() + '|' + Preference.PREFER_NODES.type() + ':' + node;
    StringBuilder rewritten = new StringBuilder(uri.length() + known.length());
    rewritten.append(uri, 0, query);
    char separator = '?';
    for (String pair : pairs) {
      rewritten.append(separator);
      if (pair.startsWith(PREFERENCE)) {
        rewritten.append(PREFERENCE).append(URLEncoder.encode(known, StandardCharsets.UTF_8));
      } else {
        rewritten.append(pair);
      }
      separator = '&';
    }
    return rewritten.toString();
  }

  /** The node of the copy that the string chooses; null if there is none. */
  private static @Nullable String nodeOf(
      ClusterView view,
      String name,
      String id,
      @Nullable String routing,
      ShardsPreference restricted) {
    Metadata metadata = view.state().metadata();
    IndexAbstraction index = metadata.getIndicesLookup().get(name);
    if (index == null || index.getIndices().size() != 1) {
      return null;
    }
    try {
      String effective = metadata.resolveIndexRouting(routing, name);
      ShardTarget target =
          DocumentShardResolver.readTarget(
              view,
              index.getIndices().getFirst().getIndex(),
              id,
              effective,
              restricted.shards() + '|' + restricted.custom());
      List<ShardCopy> copies = target == null ? List.of() : target.copies();
      return copies.isEmpty() ? null : copies.getFirst().nodeId();
    } catch (IllegalArgumentException rejected) {
      return null; // a node says why
    }
  }

  /** The decoded value of the last parameter of a name; null if it is absent. */
  private static @Nullable String valueOf(String[] pairs, String name) {
    String value = null;
    for (String pair : pairs) {
      if (pair.startsWith(name)) {
        value = decode(pair.substring(name.length()));
      }
    }
    return value;
  }

  /** In a path, a plus sign stands for itself. */
  private static String decodePath(String text) {
    return decode(text.replace("+", "%2B"));
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      return text; // a node rejects it
    }
  }
}
