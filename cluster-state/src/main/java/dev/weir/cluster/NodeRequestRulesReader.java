package dev.weir.cluster;

import dev.weir.model.NodeRequestRules;
import dev.weir.model.NodeRequestRules.Limits;
import java.util.Collection;
import org.opensearch.Version;
import org.opensearch.common.settings.Setting;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.unit.ByteSizeValue;
import org.opensearch.http.HttpTransportSettings;
import org.opensearch.rest.BaseRestHandler;

/**
 * Reads the rules of a node from the settings that it reports. A setting it omits has its default.
 */
final class NodeRequestRulesReader {
  /** Until 3.0 the default of {@code http.max_header_size} was half of today's. */
  private static final long OLD_MAX_HEADER_BYTES = 8 << 10;

  private NodeRequestRulesReader() {}

  /** Returns the strictest rules of all nodes; unknown if there is none. */
  static NodeRequestRules strictest(Collection<NodeRequestRules> nodes) {
    return nodes.stream().reduce(NodeRequestRules::strictest).orElse(NodeRequestRules.UNKNOWN);
  }

  /**
   * Reads one node's rules.
   *
   * @param reported the settings in the node's own file
   * @param version decides about defaults
   * @param heapBytes the heap of the node's JVM; {@link Long#MAX_VALUE} if unknown
   */
  static NodeRequestRules read(Settings reported, Version version, long heapBytes) {
    return new NodeRequestRules(
        true,
        get(reported, BaseRestHandler.MULTI_ALLOW_EXPLICIT_INDEX, false),
        get(reported, HttpTransportSettings.SETTING_HTTP_DETAILED_ERRORS_ENABLED, false),
        get(reported, HttpTransportSettings.SETTING_CORS_ENABLED, true),
        get(reported, HttpTransportSettings.SETTING_HTTP_RESET_COOKIES, true),
        new Limits(
            bytes(reported, HttpTransportSettings.SETTING_HTTP_MAX_CONTENT_LENGTH),
            maxHeaderBytes(reported, version),
            bytes(reported, HttpTransportSettings.SETTING_HTTP_MAX_INITIAL_LINE_LENGTH),
            get(reported, HttpTransportSettings.SETTING_HTTP_MAX_WARNING_HEADER_COUNT, 0),
            bytes(reported, HttpTransportSettings.SETTING_HTTP_MAX_WARNING_HEADER_SIZE),
            heapBytes));
  }

  private static long maxHeaderBytes(Settings reported, Version version) {
    Setting<ByteSizeValue> setting = HttpTransportSettings.SETTING_HTTP_MAX_HEADER_SIZE;
    return setting.exists(reported) || version.onOrAfter(Version.V_3_1_0)
        ? bytes(reported, setting)
        : OLD_MAX_HEADER_BYTES;
  }

  private static long bytes(Settings reported, Setting<ByteSizeValue> setting) {
    return get(reported, setting, ByteSizeValue.ZERO).getBytes();
  }

  /** A value that this version cannot parse is taken as the strictest one. */
  private static <T> T get(Settings reported, Setting<T> setting, T strictest) {
    try {
      return setting.get(reported);
    } catch (IllegalArgumentException unparseable) {
      return strictest;
    }
  }
}
