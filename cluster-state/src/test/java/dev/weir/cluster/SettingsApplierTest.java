package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.search.aggregations.MultiBucketConsumerService;

class SettingsApplierTest {
  private final ClusterSettings registered =
      new ClusterSettings(Settings.EMPTY, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS);
  private final List<Integer> heard = new ArrayList<>();
  private final SettingsApplier applier = new SettingsApplier(registered);

  SettingsApplierTest() {
    registered.addSettingsUpdateConsumer(MultiBucketConsumerService.MAX_BUCKET_SETTING, heard::add);
  }

  @Test
  void notifySettingsListeners() {
    ClusterView none = view(Settings.EMPTY);
    ClusterView some = view(Settings.builder().put("search.max_buckets", 5).build());

    applier.onChange(none, some);
    applier.onChange(some, some);
    applier.onChange(some, none);

    assertThat(heard).containsExactly(5, 65_535);
    assertThat(registered.get(MultiBucketConsumerService.MAX_BUCKET_SETTING)).isEqualTo(65_535);
  }

  @Test
  void skipSettingsThatCannotBeApplied() {
    applier.onChange(
        view(Settings.EMPTY),
        view(
            Settings.builder()
                .put("search.max_buckets", 6)
                .put("search.default_keep_alive", "a while")
                .put("logger.org.opensearch", "DEBUG")
                .put("plugins.of.somebody", "on")
                .build()));

    assertThat(heard).containsExactly(6);
  }

  private static ClusterView view(Settings settings) {
    ClusterView empty = ClusterView.empty(0);
    return empty.next(
        empty.state(),
        empty.routingEntries(),
        empty.nodes(),
        0,
        false,
        ClusterViewSettings.of(settings));
  }
}
