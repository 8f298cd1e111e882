package dev.weir.cluster;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.compress.CompressedXContent;

/**
 * What a feature reads in the mappings of indices: once for all indices whose mappings are equal,
 * kept while there is room. Evicts what is used least. Safe on any thread; two threads that miss at
 * once both read.
 *
 * @param <V> what is read; immutable
 */
public final class MappingCache<V> {
  /** The most heap of one cache. Mappings of live indices are shared with the cluster state. */
  static final long MAX_BYTES = 16 << 20;

  private static final int ENTRY_BYTES = 100;

  private final Function<MappingMetadata, V> reader;
  private final Cache<CompressedXContent, V> values;

  /**
   * Makes an empty cache.
   *
   * @param reader reads a mapping
   * @param valueBytes what a value takes on the heap
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

  /** What the mapping says. */
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
