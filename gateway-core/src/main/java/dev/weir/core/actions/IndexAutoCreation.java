package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNameResolver;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.support.AutoCreateIndex;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.SystemIndices;

/**
 * Whether a write creates the index that it names, by the cluster's {@code
 * action.auto_create_index}: OpenSearch's own rule, rebuilt when the setting changes. Safe on any
 * thread.
 */
final class IndexAutoCreation {
  private final IndexNameResolver names;
  private volatile @Nullable Rule cachedRule;

  private record Rule(String setting, AutoCreateIndex rule) {}

  IndexAutoCreation(IndexNameResolver names) {
    this.names = names;
  }

  /** Whether bulks create indices at all. */
  boolean isEnabled(ClusterView view) {
    return rule(view).needToCheck();
  }

  /**
   * Whether to create an index of this name; false when the view has it.
   *
   * @throws IndexNotFoundException when it is missing and must not be created
   */
  boolean shouldCreate(String name, ClusterView view) {
    return rule(view).shouldAutoCreate(name, view.state());
  }

  private AutoCreateIndex rule(ClusterView view) {
    String setting = view.settings().writes().autoCreate();
    Rule known = cachedRule;
    if (known == null || !known.setting.equals(setting)) {
      known = new Rule(setting, make(setting));
      cachedRule = known;
    }
    return known.rule;
  }

  private AutoCreateIndex make(String setting) {
    Settings settings =
        Settings.builder().put(AutoCreateIndex.AUTO_CREATE_INDEX_SETTING.getKey(), setting).build();
    return new AutoCreateIndex(
        settings,
        new ClusterSettings(settings, Set.of(AutoCreateIndex.AUTO_CREATE_INDEX_SETTING)),
        names.resolver(),
        new SystemIndices(Map.of()));
  }
}
