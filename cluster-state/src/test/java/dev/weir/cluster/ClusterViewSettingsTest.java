package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.search.SearchService;
import org.opensearch.search.pipeline.SearchPipelineService;

class ClusterViewSettingsTest {
  @Test
  void hasANodesDefaults() {
    ClusterViewSettings settings = ClusterViewSettings.DEFAULTS;

    assertThat(settings.search().shardCountLimit()).isEqualTo(Long.MAX_VALUE);
    assertThat(settings.search().maxBuckets()).isEqualTo(65_535);
    assertThat(settings.search().allowPartialResults()).isTrue();
    assertThat(settings.search().cancelAfter()).isEqualTo(TimeValue.MINUS_ONE);
    assertThat(settings.search().features().indexPruning()).isFalse();
    assertThat(settings.search().features().generatedPipelines()).isFalse();
    assertThat(settings.routing().adaptive()).isTrue();
    assertThat(settings.routing().awarenessAttributes()).isEmpty();
    assertThat(settings.routing().weighted().failOpen()).isTrue();
    assertThat(settings.writes().autoCreate()).isEqualTo("true");
    assertThat(settings.writes().destructiveRequiresName()).isFalse();
  }

  @Test
  void readTheClustersSettings() {
    ClusterViewSettings settings =
        ClusterViewSettings.of(
            Settings.builder()
                .put("action.search.shard_count.limit", 12)
                .put("search.default_allow_partial_results", false)
                .put("search.cancel_after_time_interval", "5s")
                .put("cluster.routing.use_adaptive_replica_selection", false)
                .put("action.auto_create_index", "+a*,-b*")
                .put("action.destructive_requires_name", true)
                .build());

    assertThat(settings.search().shardCountLimit()).isEqualTo(12);
    assertThat(settings.search().allowPartialResults()).isFalse();
    assertThat(settings.search().cancelAfter()).isEqualTo(TimeValue.timeValueSeconds(5));
    assertThat(settings.routing().adaptive()).isFalse();
    assertThat(settings.writes().autoCreate()).isEqualTo("+a*,-b*");
    assertThat(settings.writes().destructiveRequiresName()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"'', false", "a, true", "'a,b', true"})
  void readWhetherNodesGeneratePipelinesOnce(String factories, boolean generates) {
    Settings effective =
        Settings.builder()
            .put("cluster.search.enabled_system_generated_factories", factories)
            .build();

    ClusterViewSettings settings = ClusterViewSettings.of(effective);

    assertThat(settings.search().features().generatedPipelines()).isEqualTo(generates);
    assertThat(settings.get(SearchPipelineService.ENABLED_SYSTEM_GENERATED_FACTORIES_SETTING))
        .as("the setting itself")
        .matches(values -> values.isEmpty() != generates);
  }

  @Test
  void followsAwarenessOnlyWhereSearchesDo() {
    Settings.Builder zones =
        Settings.builder().put("cluster.routing.allocation.awareness.attributes", "zone,rack");

    assertThat(ClusterViewSettings.of(zones.build()).routing().awarenessAttributes()).isEmpty();
    zones.put("cluster.search.ignore_awareness_attributes", false);
    assertThat(ClusterViewSettings.of(zones.build()).routing().awarenessAttributes())
        .containsExactly("zone", "rack");
  }

  @Test
  void takesTheDefaultForAValueOfAnotherVersion() {
    ClusterViewSettings settings =
        ClusterViewSettings.of(
            Settings.builder()
                .put("search.max_buckets", "as many as you like")
                .put("cluster.routing.weighted.fail_open", "perhaps")
                .put("search.max_keep_alive", "2d")
                .build());

    assertThat(settings.search().maxBuckets()).isEqualTo(65_535);
    assertThat(settings.routing().weighted().failOpen()).isTrue();
    assertThat(settings.get(SearchService.MAX_KEEPALIVE_SETTING))
        .isEqualTo(TimeValue.timeValueDays(2));
    assertThat(settings.operationRouting().getWeightedRoutingDefaultWeight()).isEqualTo(1.0);
  }

  @Test
  void lendsItsRoutingToTheNextViewWithTheSameSettings() {
    ClusterView view = ClusterStates.ofNodes(1).view();
    ClusterViewSettings other =
        ClusterViewSettings.of(Settings.builder().put("search.max_buckets", 3).build());

    assertThat(
            view.next(view.state(), view.routingEntries(), view.nodes(), 1, false, view.settings())
                .routing())
        .isSameAs(view.routing());
    assertThat(
            view.next(view.state(), view.routingEntries(), view.nodes(), 1, false, other).routing())
        .isNotSameAs(view.routing());
  }
}
