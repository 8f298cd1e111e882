package dev.weir.operate;

import java.util.Map;

/**
 * A zone that gets no searches from nodes while all of its data nodes are drained.
 *
 * @param attribute of nodes, such as {@code zone}; empty if no zone's weight was changed
 * @param value of the zone
 * @param previousWeights the weights of the zones before; empty if none were set
 */
record ZoneRecord(String attribute, String value, Map<String, String> previousWeights) {
  static final ZoneRecord NONE = new ZoneRecord("", "", Map.of());

  ZoneRecord {
    previousWeights = Map.copyOf(previousWeights);
  }

  boolean isNone() {
    return attribute.isEmpty();
  }
}
