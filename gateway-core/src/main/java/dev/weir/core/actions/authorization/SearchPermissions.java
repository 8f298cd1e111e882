package dev.weir.core.actions.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.authorization.RequirementCache.Resolved;
import dev.weir.model.PassThroughException;
import dev.weir.model.SearchPreferences;
import dev.weir.rest.PassThroughReasons;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * What a search needs: the expression as the client wrote it, and each index that it resolves to
 * now under the index's own name, so that an index which the node does not know yet is checked too.
 * Safe on any thread.
 */
final class SearchPermissions {
  /**
   * Bounds the names before they are encoded, in characters. What nodes accept of a check's request
   * line is less, in general.
   */
  private static final int MAX_NAMES_LENGTH = 4_000;

  /** Bounds the checks of one search, where nodes leave forbidden indices out in silence. */
  private static final int MAX_SINGLE_CHECKS = 16;

  /**
   * Every index that a name or wildcard matches. Nodes that leave forbidden indices out look at all
   * of these, whatever the search says about closed and hidden ones. If the user may not search one
   * of them, they search all the others, and forget what the search says.
   */
  private static final IndicesOptions EVERY_MATCH = IndicesOptions.lenientExpandHidden();

  /** A terms aggregation of this name on {@code _index} is answered from permitted indices. */
  private static final String INDICES_AGGREGATION = "indices";

  /** Bounds the memory of checks about points in time. */
  private static final int MAX_ID_LENGTH = 4_000;

  private static final Pattern PLAIN_ID = Pattern.compile("[A-Za-z0-9_=-]+");

  private static final String BACKING_INDEX = ".ds-";

  private final IndexNameResolver names;
  private final RequirementCache known = new RequirementCache(CacheBounds.ofRequirements());

  SearchPermissions(IndexNameResolver names) {
    this.names = names;
  }

  /**
   * What to ask about one search.
   *
   * @param indices names of all indices that it concerns; null for those of a point in time
   */
  record Requirement(@Nullable Set<String> indices, List<PermissionCheck> checks) {}

  /**
   * Finds out what a search needs, and prepares it for a user with restrictions.
   *
   * @throws PassThroughException if a node has to carry it out
   */
  Requirement of(
      SearchRequest request,
      ClusterView view,
      AuthorizedClient client,
      SearchPreferences preferences) {
    SecurityRules rules = client.rules();
    if (hasRewrittenAggregation(request.source())) {
      throw new PassThroughException(PassThroughReasons.SECURITY_ACTION);
    }
    RestrictedSearch.prepare(request, client, preferences);
    if (request.pointInTimeBuilder() != null) {
      return ofPointInTime(request.pointInTimeBuilder().getId(), rules);
    }
    requireBoundedNames(request);
    for (String expression : request.indices()) {
      if (rules.isSpecial(expression)) {
        throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
      }
    }
    RequirementCache.Key key = RequirementCache.Key.of(request, rules.indices());
    Resolved resolved = key == null ? null : known.get(view, key);
    if (resolved == null) {
      resolved = resolveRequirement(request, view, rules);
      if (key != null) {
        known.put(view, key, resolved);
      }
    }
    if (resolved.isOfNoIndex()) {
      RestrictedSearch.requireAccepted(request.source());
      if (request.scroll() != null) {
        throw new PassThroughException(PassThroughReasons.SECURITY_ACTION); // nodes open no scroll
      }
    }
    return resolved.requirement();
  }

  private Resolved resolveRequirement(
      SearchRequest request, ClusterView view, SecurityRules rules) {
    List<Index> resolved = resolve(request, view, rules);
    if (resolved == null) {
      return new Resolved(
          new Requirement(
              Set.of(),
              List.of(PermissionCheck.ofSearch(request.indices(), request.indicesOptions()))),
          true);
    }
    Set<String> indices = new TreeSet<>();
    resolved.forEach(index -> indices.add(index.getName()));
    Set<String> needed = new TreeSet<>(indices);
    if (rules.narrowsIndices()) {
      resolve(request, EVERY_MATCH, view).forEach(index -> needed.add(index.getName()));
    }
    int length = 0;
    for (String name : needed) {
      if (isProtected(name, view, rules)) {
        throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
      }
      length += name.length() + 1;
    }
    boolean isTooMany =
        length > MAX_NAMES_LENGTH || (rules.narrowsIndices() && needed.size() > MAX_SINGLE_CHECKS);
    if (isTooMany) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
    return new Resolved(
        new Requirement(Collections.unmodifiableSet(indices), checks(request, needed, rules)),
        resolved.isEmpty());
  }

  /** The id names the indices, and a node reads them there. */
  private static Requirement ofPointInTime(String id, SecurityRules rules) {
    if (rules.narrowsIndices() || id.length() > MAX_ID_LENGTH || !PLAIN_ID.matcher(id).matches()) {
      throw new PassThroughException(PassThroughReasons.SECURITY_ACTION);
    }
    return new Requirement(null, List.of(PermissionCheck.ofPointInTime(id)));
  }

  /**
   * Refuses checks whose request line is longer than nodes accept: they would close the connection.
   *
   * @throws PassThroughException if a node has to carry out the request
   */
  static void requireAccepted(List<PermissionCheck> checks, ClusterView view) {
    long limit = view.settings().requestRules().limits().maxRequestLineBytes();
    for (PermissionCheck check : checks) {
      if (check.requestLineBytes() > limit) {
        throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
      }
    }
  }

  /**
   * Refuses names that do not fit into the request line of a check.
   *
   * @throws PassThroughException if a node has to carry out the search
   */
  static void requireBoundedNames(SearchRequest request) {
    int length = 0;
    for (String expression : request.indices()) {
      length += expression.length() + 1;
    }
    if (length > MAX_NAMES_LENGTH) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
  }

  private static List<PermissionCheck> checks(
      SearchRequest request, Set<String> indices, SecurityRules rules) {
    List<PermissionCheck> checks = new ArrayList<>();
    checks.add(PermissionCheck.ofSearch(request.indices(), request.indicesOptions()));
    if (rules.narrowsIndices()) {
      indices.forEach(index -> checks.add(PermissionCheck.ofSearch(List.of(index))));
    } else if (!indices.isEmpty()) {
      checks.add(PermissionCheck.ofSearch(indices));
    }
    return List.copyOf(checks);
  }

  /**
   * Resolves the indices of a search; null if one is missing, which is the search's failure once a
   * node has permitted the expression.
   */
  private @Nullable List<Index> resolve(
      SearchRequest request, ClusterView view, SecurityRules rules) {
    if (Arrays.stream(request.indices()).anyMatch(name -> name.indexOf(':') >= 0)) {
      throw new PassThroughException(PassThroughReasons.CROSS_CLUSTER);
    }
    try {
      return resolve(request, request.indicesOptions(), view);
    } catch (IndexNotFoundException missing) {
      if (rules.narrowsIndices()) {
        throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
      }
      return null;
    } catch (OpenSearchException | IllegalArgumentException unresolvable) {
      throw new PassThroughException(PassThroughReasons.SECURITY_INDEX);
    }
  }

  private List<Index> resolve(SearchRequest request, IndicesOptions options, ClusterView view) {
    return names.resolveIndices(
        view,
        new OriginalIndices(request.indices(), options),
        request.getOrCreateAbsoluteStartMillis());
  }

  /** Whether nodes, Dashboards or plugins may treat an index in ways of their own. */
  private static boolean isProtected(String index, ClusterView view, SecurityRules rules) {
    if (!rules.isSpecial(index)) {
      return false;
    }
    IndexAbstraction abstraction = view.state().metadata().getIndicesLookup().get(index);
    return !index.startsWith(BACKING_INDEX)
        || abstraction == null
        || abstraction.getParentDataStream() == null
        || abstraction.getParentDataStream().getName().startsWith(".");
  }

  private static boolean hasRewrittenAggregation(@Nullable SearchSourceBuilder source) {
    if (source == null || source.aggregations() == null) {
      return false;
    }
    for (AggregationBuilder aggregation : source.aggregations().getAggregatorFactories()) {
      if (aggregation.getName().equals(INDICES_AGGREGATION)) {
        return true;
      }
    }
    return false;
  }
}
