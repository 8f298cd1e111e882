package dev.weir.cluster;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies a view's settings to OpenSearch's own classes in the gateway that listen to
 * ClusterSettings (such as ScriptService or AutoCreateIndex), as a node's cluster applier does. It
 * skips log levels, and settings that this version does not know or cannot parse.
 */
final class SettingsApplier implements ClusterViewListener {
  private static final Logger LOG = LoggerFactory.getLogger(SettingsApplier.class);

  private final ClusterSettings registered;
  private final Map<String, String> leftOut = new ConcurrentHashMap<>();

  /** Creates an applier for the settings that those classes were created with. */
  SettingsApplier(ClusterSettings registered) {
    this.registered = registered;
  }

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    Settings effective = now.settings().effective();
    if (effective.equals(before.settings().effective())) {
      return;
    }
    Settings usable = effective.filter(key -> isUsable(key, effective));
    try {
      registered.applySettings(usable);
    } catch (IllegalArgumentException contradictory) {
      LOG.warn("cluster settings not applied", contradictory);
    }
  }

  private boolean isUsable(String key, Settings effective) {
    Setting<?> setting = registered.get(key);
    if (setting == null || !setting.isDynamic() || key.startsWith("logger.")) {
      return false;
    }
    Setting<?> concrete = setting.getConcreteSetting(key);
    try {
      concrete.get(effective);
      leftOut.remove(key);
      return true;
    } catch (IllegalArgumentException unparseable) {
      if (leftOut.put(key, String.valueOf(unparseable.getMessage())) == null) {
        LOG.warn("cluster setting {} left out: {}", key, unparseable.getMessage());
      }
      return false;
    }
  }
}
