package dev.weir.gateway.authorization;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The mode in force for a cluster.
 *
 * @param mode who checks a client's permissions
 * @param reason why, as a clause for people
 * @param isConfigured whether the configuration names the mode; otherwise it was detected and may
 *     change
 */
public record AuthorizationState(AuthorizationMode mode, String reason, boolean isConfigured) {
  /** Returns a new map, in the format of {@code /stats} and {@code /readyz}. */
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("mode", mode.label());
    map.put("reason", reason);
    map.put("configured", isConfigured);
    return map;
  }
}
