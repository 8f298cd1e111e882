package dev.weir.cluster;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.support.IndicesOptions;

/**
 * What names mean in a view: clients search the same names again and again, and a wildcard over
 * thousands of indices takes longer to resolve than to search. Belongs to a view. Safe on any
 * thread.
 */
final class ResolvedNamesCache {
  /** Bounds the indices of all entries together; each has a few shards besides. */
  static final int MAX_INDICES = 50_000;

  private static final int MAX_ENTRIES = 1024;

  /** Longer lists of names are resolved each time: they would take much memory. */
  private static final int MAX_NAMES_LENGTH = 256;

  private final ConcurrentHashMap<Key, ResolvedNames> entries = new ConcurrentHashMap<>();
  private final AtomicInteger indices = new AtomicInteger();

  /**
   * What the meaning of names depends on besides the view.
   *
   * @param systemIndexAccess the header that allows access to system indices; null for none
   */
  record Key(
      List<String> names,
      IndicesOptions options,
      @Nullable String routing,
      @Nullable String systemIndexAccess) {
    /** Returns a key; null for names that are resolved each time. */
    static @Nullable Key of(
        IndicesRequest request, @Nullable String routing, @Nullable String systemIndexAccess) {
      int length = routing == null ? 0 : routing.length();
      for (String name : request.indices()) {
        length += name.length() + 1;
        if (name.indexOf('<') >= 0) {
          return null; // date math depends on the time
        }
      }
      return length > MAX_NAMES_LENGTH
          ? null
          : new Key(
              List.of(request.indices()), request.indicesOptions(), routing, systemIndexAccess);
    }
  }

  @Nullable ResolvedNames get(Key key) {
    return entries.get(key);
  }

  /** Keeps an entry, unless the cache is full. */
  void put(Key key, ResolvedNames resolved) {
    int size = resolved.indices().size() + 1;
    if (entries.size() >= MAX_ENTRIES || indices.get() + size > MAX_INDICES) {
      return;
    }
    if (entries.putIfAbsent(key, resolved) == null) {
      indices.addAndGet(size);
    }
  }
}
