package dev.weir.core.coordinate.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;

/** Which indices have the same mapping, and for how long that is remembered. */
class MappingComparisonTest {
  private final MappingComparison comparison = new MappingComparison();

  private static IndexMetadata.Builder index(String name) {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_INDEX_UUID, "u" + name)
                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0));
  }

  private static IndexMetadata index(String name, long version, String type) throws IOException {
    return index(name)
        .mappingVersion(version)
        .putMapping("{\"_doc\":{\"properties\":{\"n\":{\"type\":\"" + type + "\"}}}}")
        .build();
  }

  @Test
  void findsIndicesWithTheSameMapping() throws IOException {
    IndexMetadata a = index("a", 1, "long");
    IndexMetadata b = index("b", 1, "long");
    IndexMetadata c = index("c", 1, "double");
    IndexMetadata none = index("d").build();
    for (int repeated = 0; repeated < 2; repeated++) {
      assertThat(comparison.areSame(List.of(a))).isTrue();
      assertThat(comparison.areSame(List.of(a, b))).isTrue();
      assertThat(comparison.areSame(List.of(b, a))).isTrue();
      assertThat(comparison.areSame(List.of(a, b, c))).isFalse();
      assertThat(comparison.areSame(List.of(a, none))).isFalse();
      assertThat(comparison.areSame(List.of(none, a))).isFalse();
      assertThat(comparison.areSame(List.of(none))).isFalse();
      assertThat(comparison.areSame(List.of())).isFalse();
    }
  }

  /** A cluster never changes a mapping without its version, so this shows what is not read. */
  @Test
  void comparesMappingsOfAVersionOnce() throws IOException {
    IndexMetadata a = index("a", 1, "long");
    assertThat(comparison.areSame(List.of(a, index("b", 1, "long")))).isTrue();
    assertThat(comparison.areSame(List.of(a, index("b", 1, "double")))).as("not read").isTrue();
    assertThat(comparison.areSame(List.of(a, index("b", 2, "double")))).isFalse();
    IndexMetadata changed = index("a", 2, "double");
    assertThat(comparison.areSame(List.of(changed, index("b", 2, "double")))).isTrue();
  }

  @Test
  void forgetsOutcomesOfAnotherHistory() throws IOException {
    IndexMetadata a = index("a", 1, "long");
    assertThat(comparison.areSame(List.of(a, index("b", 1, "long")))).isTrue();
    comparison.clear();
    assertThat(comparison.areSame(List.of(a, index("b", 1, "double")))).isFalse();
  }

  @Test
  void forgetsOutcomesOfManyIndices() throws IOException {
    List<IndexMetadata> indices = new ArrayList<>();
    for (int i = 0; i < MappingComparison.MAX_OUTCOMES + 10; i++) {
      indices.add(index("i" + i, 1, "long"));
    }
    assertThat(comparison.areSame(indices)).isTrue();
    assertThat(comparison.outcomes()).isBetween(1, MappingComparison.MAX_OUTCOMES);
  }
}
