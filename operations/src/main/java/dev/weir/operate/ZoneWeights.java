package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.settings.LayeredSettings;
import dev.weir.model.JsonTextWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * OpenSearch's own weights of zones. The nodes of a cluster send no searches and reads of documents
 * to a zone of weight 0, so they take the load of clients without a gateway away from it. There are
 * no weights of single nodes: a zone's weight is changed only while all of its data nodes are
 * drained.
 *
 * @param cluster is asked, and changed
 */
record ZoneWeights(ClusterApi cluster) {
  private static final String ATTRIBUTES = "cluster.routing.allocation.awareness.attributes";
  private static final String FORCED = "cluster.routing.allocation.awareness.force.%s.values";
  private static final String IGNORED = "cluster.routing.ignore_weighted_routing";
  private static final int ATTEMPTS = 3;
  private static final String WEIGHTS = "weights";
  private static final String VERSION = "_version";

  /** A cluster without weights has this version of them. */
  private static final long FIRST_VERSION = -1;

  /** The attribute that OpenSearch spreads copies by; empty for none. */
  String attribute() throws OperationException, InterruptedException {
    LayeredSettings settings = cluster.layeredSettings();
    List<String> attributes =
        settings.get(IGNORED, "").equals("true") ? List.of() : listOf(settings, ATTRIBUTES);
    return attributes.isEmpty() ? "" : attributes.getFirst();
  }

  /** The values in force of a setting that is a list; none if it isn't set. */
  private static List<String> listOf(LayeredSettings settings, String key) {
    return Stream.of(settings.get(key, "").replace("[", "").replace("]", "").split(",", -1))
        .map(String::strip)
        .filter(value -> !value.isEmpty())
        .toList();
  }

  /** The zone that consists of these nodes alone, among others; with its weights as they are. */
  ZoneRecord find(ClusterLayout layout, Set<String> batch)
      throws OperationException, InterruptedException {
    String attribute = attribute();
    if (attribute.isEmpty()) {
      return ZoneRecord.NONE;
    }
    String zone = wholeZone(layout, batch, attribute);
    if (zone.isEmpty()) {
      return ZoneRecord.NONE;
    }
    Map<String, String> previous = new TreeMap<>();
    read(attribute)
        .child(WEIGHTS)
        .members()
        .forEach((value, weight) -> previous.put(value, weight.toString()));
    return new ZoneRecord(attribute, zone, previous);
  }

  /** The value of an attribute that all nodes of a batch have, and no other data node. */
  static String wholeZone(ClusterLayout layout, Set<String> batch, String attribute) {
    if (!layout.silentNodes().isEmpty()) {
      return ""; // they may be in the same zone
    }
    Set<String> of = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    for (ClusterLayout.Node node : layout.nodes().values()) {
      if (node.holdsData()) {
        String value = node.attributes().getOrDefault(attribute, "");
        (batch.contains(node.name()) ? of : others).add(value);
      }
    }
    others.remove("");
    boolean isWhole =
        of.size() == 1 && !of.contains("") && !others.isEmpty() && !others.containsAll(of);
    return isWhole ? of.iterator().next() : "";
  }

  /**
   * The weights while a zone gets no searches; other zones keep theirs. OpenSearch wants a weight
   * for each zone that it knows, also for one without data nodes.
   *
   * @param forced the zones of forced awareness, which may have no node
   */
  static Map<String, String> without(ZoneRecord zone, ClusterLayout layout, List<String> forced) {
    Map<String, String> weights = new TreeMap<>(zone.previousWeights());
    forced.forEach(value -> weights.putIfAbsent(value, "1"));
    for (ClusterLayout.Node node : layout.nodes().values()) {
      String value = node.attributes().getOrDefault(zone.attribute(), "");
      if (!value.isEmpty()) {
        weights.putIfAbsent(value, "1");
      }
    }
    weights.put(zone.value(), "0");
    return weights;
  }

  /** Has nodes send a zone no searches. */
  void takeAway(ZoneRecord zone, ClusterLayout layout)
      throws OperationException, InterruptedException {
    List<String> forced = listOf(cluster.layeredSettings(), FORCED.formatted(zone.attribute()));
    put(zone.attribute(), without(zone, layout, forced));
  }

  /** Gives the weights back that a zone had. */
  void restore(ZoneRecord zone) throws OperationException, InterruptedException {
    if (!zone.isNone()) {
      put(zone.attribute(), zone.previousWeights());
    }
  }

  private JsonTree read(String attribute) throws OperationException, InterruptedException {
    return cluster.get(path(attribute));
  }

  private static String path(String attribute) {
    return "/_cluster/routing/awareness/" + GatewayAdmin.encode(attribute) + "/weights";
  }

  /**
   * Writes weights; none remove them. The call names the version that it replaces, so it is sent
   * again after a concurrent change.
   */
  private void put(String attribute, Map<String, String> weights)
      throws OperationException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      JsonTree now = read(attribute);
      boolean hasWeights = !now.child(WEIGHTS).members().isEmpty();
      if (!hasWeights && weights.isEmpty()) {
        return;
      }
      long version = now.child(VERSION).toLong(FIRST_VERSION);
      try {
        cluster.send(weights.isEmpty() ? "DELETE" : "PUT", path(attribute), body(weights, version));
        return;
      } catch (OperationException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static String body(Map<String, String> weights, long version) {
    Map<String, Object> body = new LinkedHashMap<>();
    if (!weights.isEmpty()) {
      body.put(WEIGHTS, weights);
    }
    body.put(VERSION, version);
    return new JsonTextWriter(JsonTextWriter.Layout.COMPACT).tree(body).finish();
  }

  /** The actions that it needs a permission for, in order: reads, changes, removes. */
  Stream<PermissionRequest> permissions(String attribute) {
    String path = path(attribute);
    return Stream.of(
        new PermissionRequest("GET", path, null),
        new PermissionRequest("PUT", path, body(Map.of("none", "1"), FIRST_VERSION)),
        new PermissionRequest("DELETE", path, body(Map.of(), FIRST_VERSION)));
  }
}
