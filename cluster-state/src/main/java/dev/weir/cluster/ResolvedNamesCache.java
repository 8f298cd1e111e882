package dev.weir.cluster;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.IndicesRequest;
import org.opensearch.action.support.IndicesOptions;

/**
 * What names mean in a view: clients search the same names again and again, and a wildcard over
 * thousands of indices takes longer to resolve than to search. Shared by views in which all names
 * mean the same. Safe on any thread.
 */
final class ResolvedNamesCache {
  /** Bounds the indices of all entries together; each has a few shards besides. */
  static final int MAX_INDICES = 50_000;

  /** Longer routing values are resolved each time: they would take much memory. */
  private static final int MAX_ROUTING_LENGTH = 256;

  /** What an entry weighs besides its indices: a thousand entries of one index fit. */
  private static final int ENTRY_WEIGHT = MAX_INDICES / 1000;

  private final Cache<Key, ResolvedNames> entries =
      Caffeine.newBuilder()
          .maximumWeight(MAX_INDICES)
          .<Key, ResolvedNames>weigher((key, resolved) -> ENTRY_WEIGHT + resolved.indices().size())
          .executor(Runnable::run)
          .build();

  /**
   * What the meaning of names depends on besides the metadata.
   *
   * @param systemIndexAccess the header that allows access to system indices; null for none
   */
  record Key(
      List<String> names,
      IndicesOptions options,
      @Nullable String routing,
      @Nullable String systemIndexAccess) {
    /** Leaves out the options, whose hash code takes longer than all of a search's other keys. */
    @Override
    public int hashCode() {
      return 31 * (31 * names.hashCode() + Objects.hashCode(routing))
          + Objects.hashCode(systemIndexAccess);
    }

    /** Returns a key; null for names that are resolved each time. */
    static @Nullable Key of(
        IndicesRequest request, @Nullable String routing, @Nullable String systemIndexAccess) {
      boolean isKept =
          CacheableNames.areCacheable(request.indices())
              && (routing == null || routing.length() <= MAX_ROUTING_LENGTH);
      return isKept
          ? new Key(
              List.of(request.indices()), request.indicesOptions(), routing, systemIndexAccess)
          : null;
    }
  }

  @Nullable ResolvedNames get(Key key) {
    return entries.getIfPresent(key);
  }

  /** Keeps an entry; the least used ones give way. */
  void put(Key key, ResolvedNames resolved) {
    entries.put(key, resolved);
  }

  /** Returns the indices of all entries. */
  long size() {
    entries.cleanUp();
    return entries.asMap().values().stream().mapToLong(all -> all.indices().size()).sum();
  }
}
