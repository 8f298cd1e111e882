package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.MappingMetadata;

final class MappingCacheTest {
  private static final int QUARTER = (int) (MappingCache.MAX_BYTES / 4);

  private final List<String> read = new ArrayList<>();

  private static MappingMetadata mapping(String field) {
    return new MappingMetadata(
        "_doc", Map.of("properties", Map.of(field, Map.of("type", "keyword"))));
  }

  private MappingCache<String> cache(int valueBytes) {
    return new MappingCache<>(
        mapping -> {
          String field = String.valueOf(mapping.sourceAsMap().get("properties"));
          read.add(field);
          return field;
        },
        value -> valueBytes);
  }

  @Test
  void readsEqualMappingsOnce() {
    MappingCache<String> cache = cache(1);
    String first = cache.get(mapping("user"));
    assertThat(cache.get(mapping("user"))).isSameAs(first).contains("user");
    assertThat(cache.get(mapping("host"))).contains("host");
    assertThat(read).hasSize(2);
  }

  @Test
  void keepsNoMoreThanItsBound() {
    MappingCache<String> cache = cache(QUARTER);
    for (int index = 0; index < 40; index++) {
      cache.get(mapping("field" + index));
    }
    read.clear();
    for (int index = 0; index < 40; index++) {
      cache.get(mapping("field" + index));
    }
    assertThat(new HashSet<>(read)).as("at most three of 40 fit").hasSizeGreaterThanOrEqualTo(37);
  }
}
