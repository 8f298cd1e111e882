package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;

class SearchPipelineUseTest {
  private static IndexMetadata index(String name, @Nullable String defaultPipeline) {
    Settings.Builder settings =
        Settings.builder().put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT);
    if (defaultPipeline != null) {
      settings.put("index.search.default_pipeline", defaultPipeline);
    }
    return IndexMetadata.builder(name)
        .settings(settings)
        .numberOfShards(1)
        .numberOfReplicas(0)
        .build();
  }

  private static ClusterView view(Settings settings, IndexMetadata... indices) {
    Metadata.Builder metadata = Metadata.builder().persistentSettings(settings);
    for (IndexMetadata index : indices) {
      metadata.put(index, false);
    }
    ClusterState state = ClusterState.builder(new ClusterName("test")).metadata(metadata).build();
    return new ClusterView(state, Map.of(), 0, false);
  }

  @ParameterizedTest
  @CsvSource({"rewrite,true", "_none,false", ",false"})
  void findAnIndexWithADefaultPipeline(@Nullable String pipeline, boolean possible) {
    ClusterView view = view(Settings.EMPTY, index("a", null), index("b", pipeline));

    assertThat(view.mayRunSearchPipelines()).isEqualTo(possible);
  }

  @Test
  void findProcessorsThatNodesGenerate() {
    Settings generated =
        Settings.builder()
            .putList("cluster.search.enabled_system_generated_factories", List.of("x"))
            .build();

    assertThat(view(generated).mayRunSearchPipelines()).isTrue();
    assertThat(view(Settings.EMPTY).mayRunSearchPipelines()).isFalse();
  }

  @Test
  void readTheIndicesOnce() {
    AtomicInteger reads = new AtomicInteger();
    Supplier<Collection<IndexMetadata>> indices =
        () -> {
          reads.incrementAndGet();
          return List.of(index("a", null));
        };
    SearchPipelineUse use = new SearchPipelineUse(ClusterViewSettings.DEFAULTS, indices);
    assertThat(reads).hasValue(0);
    for (int i = 0; i < 3; i++) {
      assertThat(use.isPossible()).isFalse();
    }
    assertThat(reads).hasValue(1);
  }

  @Test
  void keepTheResultWithTheState() {
    ClusterView view = view(Settings.EMPTY, index("a", "rewrite"));
    assertThat(view.confirm(5).mayRunSearchPipelines()).isTrue();
    ClusterState later =
        ClusterState.builder(new ClusterName("test"))
            .metadata(Metadata.builder().put(index("a", null), false))
            .build();
    ClusterView next =
        view.next(later, view.routingEntries(), view.nodes(), 9, false, view.settings());
    assertThat(next.mayRunSearchPipelines()).as("a newer state is read again").isFalse();
    assertThat(view.mayRunSearchPipelines()).isTrue();
  }
}
