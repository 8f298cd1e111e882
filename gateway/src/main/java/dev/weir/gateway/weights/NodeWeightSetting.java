package dev.weir.gateway.weights;

import dev.weir.routing.weight.NodeWeight;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opensearch.common.settings.Settings;

/**
 * The settings of a cluster that hold the weights of its nodes: {@code
 * cluster.metadata.weir.node-weight.NAME}. OpenSearch keeps any setting under {@code
 * cluster.metadata.} for its users ({@code ClusterService.USER_DEFINED_METADATA}), persistently,
 * and sends it to every node with the cluster state. A value is a weight from 0 to 1, such as
 * {@code 0.25}, or a weight that is reached step by step, such as {@code 1 from 0 since
 * 2026-01-31T12:00:00Z over 60s}.
 */
final class NodeWeightSetting {
  private static final String PREFIX = "cluster.metadata.weir.node-weight.";
  private static final Pattern VALUE =
      Pattern.compile("(\\S+)(?: from (\\S+) since (\\S+) over (\\d{1,9})s)?");

  private NodeWeightSetting() {}

  /**
   * The weights in the settings of a cluster.
   *
   * @param byName by the names of nodes
   * @param problems settings that can't be read, which have no effect
   */
  record Parsed(Map<String, NodeWeight> byName, Map<String, String> problems) {}

  static String key(String nodeName) {
    return PREFIX + nodeName;
  }

  static String format(NodeWeight weight) {
    String target = number(weight.target());
    return weight.rampMillis() == 0
        ? target
        : target
            + " from "
            + number(weight.from())
            + " since "
            + Instant.ofEpochMilli(weight.sinceMillis())
            + " over "
            + Duration.ofMillis(weight.rampMillis()).toSeconds()
            + "s";
  }

  private static String number(double weight) {
    return weight == Math.rint(weight)
        ? Long.toString((long) weight)
        : String.format(Locale.ROOT, "%.3f", weight);
  }

  static Parsed parse(Settings settings) {
    Map<String, NodeWeight> weights = new TreeMap<>();
    Map<String, String> problems = new LinkedHashMap<>();
    for (String key : settings.keySet()) {
      if (key.startsWith(PREFIX)) {
        String name = key.substring(PREFIX.length());
        try {
          weights.put(name, parse(settings.get(key, "")));
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
          problems.put(
              key,
              "got ["
                  + settings.get(key, "")
                  + "] (expected: a weight from 0 to 1, such as 0.25, or: 1 from 0 since"
                  + " 2026-01-31T12:00:00Z over 60s)");
        }
      }
    }
    return new Parsed(weights, problems);
  }

  private static NodeWeight parse(String value) {
    Matcher parts = VALUE.matcher(value.trim());
    if (!parts.matches()) {
      throw new IllegalArgumentException(value);
    }
    double target = parseWeight(parts.group(1));
    return parts.group(2) == null
        ? NodeWeight.of(target)
        : new NodeWeight(
            target,
            parseWeight(parts.group(2)),
            Instant.parse(parts.group(3)).toEpochMilli(),
            Duration.ofSeconds(Long.parseLong(parts.group(4))).toMillis());
  }

  /**
   * Reads a weight.
   *
   * @throws IllegalArgumentException if it is no number from 0 to 1
   */
  static double parseWeight(String text) {
    double weight = Double.parseDouble(text);
    if (!(weight >= 0 && weight <= NodeWeight.FULL)) {
      throw new IllegalArgumentException(text);
    }
    return weight;
  }
}
