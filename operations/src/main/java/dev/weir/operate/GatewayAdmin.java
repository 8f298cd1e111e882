package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.RestTarget;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The admin ports of the gateways in front of a cluster. A change goes to the first gateway that
 * answers: all of them learn it with the cluster's settings. Safe on any thread.
 *
 * @param targets one for each gateway
 * @param cluster its name in the gateways' configuration; empty if there is only one
 * @param timeout how long a call is repeated
 */
public record GatewayAdmin(List<RestTarget> targets, String cluster, Duration timeout) {
  private static final int NOT_FOUND = 404;
  private static final double UNKNOWN_P99 = -1;

  /** The error of a gateway that can't have the cluster manager change a weight. */
  private static final String NOT_CHANGED = "cluster_manager_not_reached_exception";

  public GatewayAdmin {
    targets = List.copyOf(targets);
  }

  /**
   * A node as one gateway sees it.
   *
   * @param weight in force now, 0 to 1
   * @param state such as {@code drained} or {@code full}
   * @param inFlight calls without a response
   */
  record NodeRow(
      String name,
      String id,
      boolean isInCluster,
      double weight,
      double targetWeight,
      String state,
      int inFlight) {
    boolean isDrained() {
      return state.equals("drained");
    }
  }

  /**
   * Changes the weight of a node.
   *
   * @param what the last part of the path
   * @return whether it was changed; false if the gateway can't have the cluster change it, or does
   *     not know the node
   */
  boolean change(String node, String what, String query)
      throws OperationException, InterruptedException {
    String path = "/nodes/" + encode(node) + "/" + what + query(query);
    RestTarget.Response response =
        new RepeatedCall(targets, timeout)
            .send("POST", path, null, one -> one.body().contains(NOT_CHANGED));
    if (response.isSuccess()) {
      return true;
    }
    if (response.body().contains(NOT_CHANGED) || response.status() == NOT_FOUND) {
      return false;
    }
    throw new OperationException("POST " + path + " " + response.problem());
  }

  /**
   * The nodes as one gateway sees them.
   *
   * @throws IOException if it doesn't answer, or answers that the trouble passes
   */
  List<NodeRow> nodes(RestTarget target)
      throws IOException, OperationException, InterruptedException {
    RestTarget.Response response = target.send("GET", "/nodes" + query(""), null);
    if (RepeatedCall.isTransient(response)) {
      throw new IOException("GET /nodes " + response.problem());
    }
    return rows(response);
  }

  private static List<NodeRow> rows(RestTarget.Response response) throws OperationException {
    if (!response.isSuccess()) {
      throw new OperationException(
          "GET /nodes of a gateway's admin port got status "
              + response.status()
              + ": "
              + response.body()
              + " (expected: 200; give the token of the admin port in the configuration, and"
              + " --cluster if there are several clusters)");
    }
    List<NodeRow> rows = new ArrayList<>();
    for (JsonTree row : JsonObjects.parse(response.body()).children("nodes")) {
      rows.add(
          new NodeRow(
              row.text("name"),
              row.text("id"),
              Boolean.parseBoolean(row.text("in_cluster")),
              row.number("weight"),
              row.number(row.text("target_weight").isEmpty() ? "weight" : "target_weight"),
              row.text("state"),
              (int) row.number("in_flight")));
    }
    return rows;
  }

  /** The nodes as the first gateway sees them that answers. */
  List<NodeRow> anyNodes() throws OperationException, InterruptedException {
    return rows(
        new RepeatedCall(targets, timeout).send("GET", "/nodes" + query(""), null, one -> false));
  }

  /**
   * The gateways that may send some nodes requests or wait for their responses, each with the
   * reason: it does not know yet that they are drained, or does not answer here.
   */
  Map<String, String> busyWith(List<String> names) throws OperationException, InterruptedException {
    Map<String, String> busy = new TreeMap<>();
    for (RestTarget target : targets) {
      String base = target.base().toString();
      try {
        for (NodeRow row : nodes(target)) {
          if (names.contains(row.name()) && (!row.isDrained() || row.inFlight() > 0)) {
            busy.put(base, base + " has requests in flight");
          }
        }
      } catch (IOException e) {
        busy.put(base, base + " does not answer");
      }
    }
    return busy;
  }

  /** The gateways that answer and do not know some nodes as members of the cluster. */
  Set<String> unawareOf(List<String> names) throws OperationException, InterruptedException {
    Set<String> unaware = new TreeSet<>();
    for (RestTarget target : targets) {
      try {
        List<String> known =
            nodes(target).stream().filter(NodeRow::isInCluster).map(NodeRow::name).toList();
        if (!known.containsAll(names)) {
          unaware.add(target.base().toString());
        }
      } catch (IOException gone) {
        // it learns them when it is back
      }
    }
    return unaware;
  }

  /** Returns a line for each gateway that gives a node less than its share. */
  List<String> belowShare(Map<String, Double> shares)
      throws OperationException, InterruptedException {
    List<String> below = new ArrayList<>();
    for (RestTarget target : targets) {
      try {
        for (NodeRow row : nodes(target)) {
          if (row.weight() < shares.getOrDefault(row.name(), 0.0)) {
            below.add(
                String.format(
                    Locale.ROOT,
                    "%s gives %s the weight %.3f (expected: %.3f)",
                    target.base(),
                    row.name(),
                    row.weight(),
                    shares.get(row.name())));
          }
        }
      } catch (IOException gone) {
        // it learns the weight from the cluster's settings when it answers again
      }
    }
    return below;
  }

  /**
   * The p99 of the newest complete seconds in milliseconds, of the slowest gateway; 0 without
   * traffic; negative if a gateway does not tell it, which may have too much to do.
   */
  double p99Millis() throws InterruptedException {
    double highest = 0;
    for (RestTarget target : targets) {
      try {
        RestTarget.Response response = target.send("GET", "/history", null);
        if (!response.isSuccess()) {
          return UNKNOWN_P99;
        }
        highest = Math.max(highest, newestP99(JsonObjects.parse(response.body())));
      } catch (IOException | OperationException unknown) {
        return UNKNOWN_P99;
      }
    }
    return highest;
  }

  private double newestP99(JsonTree history) {
    List<JsonTree> steps = history.children("steps");
    List<Double> newest = new ArrayList<>();
    for (JsonTree step : steps.subList(Math.max(0, steps.size() - 3), steps.size())) {
      JsonTree counts = cluster.isEmpty() ? step : step.child("clusters", cluster);
      double p99 = counts.number("p99_ms");
      if (p99 > 0) {
        newest.add(p99);
      }
    }
    newest.sort(null);
    return newest.isEmpty() ? 0 : newest.get(newest.size() / 2);
  }

  private String query(String query) {
    String selected = cluster.isEmpty() ? "" : "cluster=" + encode(cluster);
    String both = selected + (selected.isEmpty() || query.isEmpty() ? "" : "&") + query;
    return both.isEmpty() ? "" : "?" + both;
  }

  /** A text as a part of a path or a query. */
  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
