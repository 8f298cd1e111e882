package dev.weir.core.actions.authorization;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.cluster.CacheableNames;
import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.authorization.SearchPermissions.Requirement;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;

/**
 * What searches need that were resolved against the current view: clients search the same names
 * again and again. Forgets everything when names or settings mean something else, and what is used
 * least if it takes too much memory. Safe on any thread.
 */
final class RequirementCache {
  /** The memory of an entry besides its names and checks, and of a check besides its URI. */
  private static final int OBJECT_BYTES = 256;

  private final long maxBytes;
  private volatile @Nullable Generation current;

  /**
   * Creates an empty cache.
   *
   * @param maxBytes the memory of all entries
   */
  RequirementCache(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * What one search depends on besides the view.
   *
   * @param rules which indices nodes treat in ways of their own
   */
  record Key(List<String> names, IndicesOptions options, SecurityRules.IndexRules rules) {
    /** Returns the key of a search; null if it is resolved each time. */
    static @Nullable Key of(SearchRequest request, SecurityRules.IndexRules rules) {
      return CacheableNames.areCacheable(request.indices())
          ? new Key(List.of(request.indices()), request.indicesOptions(), rules)
          : null;
    }
  }

  /**
   * A resolved search.
   *
   * @param isOfNoIndex whether its names match nothing, or one of them is missing
   */
  record Resolved(Requirement requirement, boolean isOfNoIndex) {}

  /**
   * What was resolved against views in which names and settings are the same.
   *
   * @param scope weak: it must not outlive those views
   */
  private record Generation(WeakReference<Object> scope, Cache<Key, Resolved> entries) {
    boolean isOf(ClusterView asked) {
      return scope.refersTo(asked.resolutionScope());
    }
  }

  @Nullable Resolved get(ClusterView view, Key key) {
    Generation known = current;
    return known != null && known.isOf(view) ? known.entries.getIfPresent(key) : null;
  }

  void put(ClusterView view, Key key, Resolved resolved) {
    Generation known = current;
    if (known == null || !known.isOf(view)) {
      known = new Generation(new WeakReference<>(view.resolutionScope()), newEntries());
      current = known;
    }
    known.entries.put(key, resolved);
  }

  /** Returns the number of entries. */
  long size() {
    Generation known = current;
    if (known == null) {
      return 0;
    }
    known.entries.cleanUp();
    return known.entries.estimatedSize();
  }

  private Cache<Key, Resolved> newEntries() {
    return Caffeine.newBuilder()
        .maximumWeight(maxBytes)
        .weigher(RequirementCache::bytes)
        .executor(Runnable::run)
        .build();
  }

  private static int bytes(Key key, Resolved resolved) {
    int bytes = OBJECT_BYTES;
    for (String name : key.names) {
      bytes += name.length();
    }
    for (PermissionCheck check : resolved.requirement.checks()) {
      bytes += OBJECT_BYTES + check.requestLineBytes();
    }
    Set<String> indices = resolved.requirement.indices();
    for (String index : indices == null ? Set.<String>of() : indices) {
      bytes += index.length();
    }
    return bytes;
  }
}
