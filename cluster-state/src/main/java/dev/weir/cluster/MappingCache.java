package dev.weir.cluster;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.compress.CompressedXContent;

/**
 * Caches what a feature reads from the mappings of indices, once for all indices with equal
 * mappings. Evicts the least used entries. Safe on any thread; two threads that miss at the same
 * time both read.
 *
 * @param <V> the value read; immutable
 */
public final class MappingCache<V> {
  /**
   * The largest heap size of one cache. Mappings of live indices are shared with the cluster state.
   */
  static final long MAX_BYTES = 16 << 20;

  private static final int ENTRY_BYTES = 100;

  private final Function<MappingMetadata, V> reader;
  private final Cache<CompressedXContent, V> values;

  /**
   * Creates an empty cache.
   *
   * @param reader reads a mapping
   * @param valueBytes returns the heap size of a value
   */
  public MappingCache(Function<MappingMetadata, V> reader, ToIntFunction<V> valueBytes) {
    this.reader = reader;
    this.values =
        Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((CompressedXContent mapping, V value) ->
                ENTRY_BYTES + mapping.compressed().length + valueBytes.applyAsInt(value))
            .executor(Runnable::run)
            .build();
  }

  /** Returns the value for a mapping. */
  public V get(MappingMetadata mapping) {
    V known = values.getIfPresent(mapping.source());
    if (known != null) {
      return known;
    }
    V read = reader.apply(mapping);
    values.put(mapping.source(), read);
    return read;
  }
}
