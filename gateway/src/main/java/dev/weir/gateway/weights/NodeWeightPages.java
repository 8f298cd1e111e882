package dev.weir.gateway.weights;

import dev.weir.client.settings.TimeValues;
import dev.weir.cluster.ClusterView;
import dev.weir.gateway.stats.AdminErrors;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpStatus;
import dev.weir.model.NodeEndpoint;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.protocol.NodeCallException;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.weight.NodeWeight;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shows and changes the weights of nodes: {@code GET /nodes}, {@code POST /nodes/NAME/drain},
 * {@code POST /nodes/NAME/weight?weight=0.25}, {@code POST /nodes/NAME/restore}. Safe on any
 * thread; pages run on virtual threads.
 *
 * @param service knows the weights, and changes them
 * @param loads counts this gateway's calls to nodes
 * @param passedThrough returns the number of requests that a REST port has not answered
 */
public record NodeWeightPages(
    NodeWeightService service,
    NodeLoadTracker loads,
    ToIntFunction<InetSocketAddress> passedThrough)
    implements StatsReporter {
  private static final String NODE = "node";
  private static final String OVER = "over";
  private static final Duration RESTORE_RAMP = Duration.ofSeconds(60);

  /** The setting of a weight takes nine digits of seconds. */
  private static final Duration LONGEST_RAMP = Duration.ofDays(100);

  /** The setting of a weight has whole seconds. */
  private static final long SECOND_MILLIS = 1000;

  private static final int CONFLICT = 409;

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<>(
            () -> List.copyOf(service.view().nodes().values()),
            node -> Map.of(NODE, node.id()),
            List.of(
                Column.gauge(
                    "weir_node_weight",
                    "Share of its usual requests that an operator lets the node have, 0 to 1",
                    node -> service.weights().of(node.id())))));
  }

  @Override
  public void addPages(AdminPageRegistry site) {
    site.get("/nodes", () -> AdminResponse.json(HttpStatus.OK, toMap()))
        .postWithQuery("/nodes/{node}/drain", query -> change(query, 0.0, Duration.ZERO))
        .postWithQuery("/nodes/{node}/weight", query -> change(query, null, Duration.ZERO))
        .postWithQuery(
            "/nodes/{node}/restore", query -> change(query, NodeWeight.FULL, RESTORE_RAMP));
  }

  /**
   * Changes a weight.
   *
   * @param target the weight; null to take it from the query
   * @param usualRamp the time that it takes, unless the query says another
   */
  private AdminResponse change(
      Map<String, String> query, @Nullable Double target, Duration usualRamp) {
    String name = query.getOrDefault(NODE, "");
    NodeEndpoint node = service.findNode(name);
    String nodeName = node == null ? name : node.name();
    if (node == null && !service.settings().byName().containsKey(nodeName)) {
      return AdminErrors.json(
          HttpStatus.NOT_FOUND,
          "resource_not_found_exception",
          "got node [" + name + "] (expected: one of " + String.join(", ", names()) + ")");
    }
    double weight;
    Duration ramp;
    try {
      weight =
          target == null
              ? DisplayFormat.roundToThousandths(
                  NodeWeightSetting.parseWeight(query.getOrDefault("weight", "")))
              : target;
      ramp = ramp(query.get(OVER), usualRamp);
    } catch (IllegalArgumentException e) {
      return AdminErrors.json(
          HttpStatus.BAD_REQUEST,
          "illegal_argument_exception",
          "got [weight="
              + query.getOrDefault("weight", "")
              + ", over="
              + query.getOrDefault(OVER, "")
              + "] (expected: weight from 0 to 1, such as 0.25; over, such as 60s or 5m)");
    }
    if (weight <= 0 && node != null && isLastOne(node)) {
      return AdminErrors.json(
          CONFLICT,
          "illegal_state_exception",
          "node ["
              + nodeName
              + "] is the last data node that is not drained: restore another one"
              + " first");
    }
    double from = node == null ? weight : service.weights().of(node.id());
    try {
      service.change(
          nodeName,
          ramp.isZero() || from == weight
              ? NodeWeight.of(weight)
              : new NodeWeight(weight, from, service.nowMillis(), ramp.toMillis()));
    } catch (NodeCallException | IllegalStateException e) {
      return AdminErrors.json(
          HttpStatus.SERVICE_UNAVAILABLE,
          "cluster_manager_not_reached_exception",
          "the weight was not changed, or it is not known whether it was: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return AdminErrors.json(
          HttpStatus.SERVICE_UNAVAILABLE, "interrupted_exception", "the gateway stops");
    }
    return AdminResponse.json(HttpStatus.OK, row(nodeName, node));
  }

  private static Duration ramp(@Nullable String text, Duration usual) {
    if (text == null) {
      return usual;
    }
    long millis = TimeValues.toMillis(text);
    if (millis < 0 || millis > LONGEST_RAMP.toMillis() || millis % SECOND_MILLIS != 0) {
      throw new IllegalArgumentException(text);
    }
    return Duration.ofMillis(millis);
  }

  private boolean isLastOne(NodeEndpoint node) {
    return service.view().nodes().values().stream()
        .filter(other -> !other.id().equals(node.id()) && other.roles().contains("data"))
        .allMatch(other -> service.weights().isDrained(other.id()));
  }

  private TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>(service.settings().byName().keySet());
    service.view().nodes().values().forEach(node -> names.add(node.name()));
    return names;
  }

  private Map<String, Object> toMap() {
    List<Object> rows = new ArrayList<>();
    ClusterView view = service.view();
    view.nodes().values().stream()
        .sorted(Comparator.comparing(NodeEndpoint::name))
        .forEach(node -> rows.add(row(node.name(), node)));
    service
        .settings()
        .byName()
        .keySet()
        .forEach(name -> {
          if (view.nodes().values().stream().noneMatch(node -> node.name().equals(name))) {
            rows.add(row(name, null));
          }
        });
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("nodes", rows);
    body.put("problems", service.settings().problems());
    return body;
  }

  private Map<String, Object> row(String name, @Nullable NodeEndpoint node) {
    NodeWeight set = service.settings().byName().get(name);
    double weight = set == null ? NodeWeight.FULL : set.at(service.nowMillis());
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("name", name);
    row.put("id", node == null ? "" : node.id());
    row.put("in_cluster", node != null);
    row.put("weight", DisplayFormat.roundToThousandths(weight));
    row.put("state", state(set, weight));
    if (set != null && set.rampMillis() > 0) {
      row.put("target_weight", set.target());
      row.put("reached_at", Instant.ofEpochMilli(set.sinceMillis() + set.rampMillis()).toString());
    }
    if (node != null) {
      row.put("in_flight", inFlight(node));
      if (weight < NodeWeight.FULL) {
        row.put("only_copies", OnlyCopies.of(node.id(), service.view(), service.weights()).toMap());
      }
    }
    return row;
  }

  private static String state(@Nullable NodeWeight set, double weight) {
    if (set == null || (weight >= NodeWeight.FULL && set.target() >= NodeWeight.FULL)) {
      return "full";
    }
    if (weight <= 0) {
      return "drained";
    }
    return set.target() > weight ? "rising" : set.target() < weight ? "falling" : "reduced";
  }

  /** The calls and requests of this gateway to a node that have no response yet. */
  private int inFlight(NodeEndpoint node) {
    int calls =
        loads.snapshots().stream()
            .filter(load -> load.nodeId().equals(node.id()))
            .mapToInt(load -> load.load().outstanding())
            .sum();
    InetSocketAddress http = node.http();
    return http == null ? calls : calls + passedThrough.applyAsInt(http);
  }
}
