package dev.weir.node;

import java.util.List;
import org.opensearch.common.settings.Setting;
import org.opensearch.plugins.Plugin;

/**
 * The plugin: makes index settings known to a node that only the gateway acts on, so that they can
 * be kept where an index keeps its other settings. The node itself behaves as it would without it.
 */
public final class WeirPlugin extends Plugin {
  /**
   * Whether the gateway steers the documents of a bulk that have neither an id nor a routing value
   * to one shard of the index.
   */
  public static final Setting<Boolean> BULK_ROUTING =
      Setting.boolSetting(
          "index.bulk_routing.enabled",
          false,
          Setting.Property.Dynamic,
          Setting.Property.IndexScope);

  /** Makes the plugin; OpenSearch does. */
  public WeirPlugin() {}

  @Override
  public List<Setting<?>> getSettings() {
    return List.of(BULK_ROUTING);
  }
}
