package dev.weir.gateway.history;

import dev.weir.gateway.stats.AdminErrors;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpStatus;
import dev.weir.model.JsonTextWriter;
import dev.weir.observe.admin.AdminResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The page {@code /history}: the steps of the last hour and the events in it. {@code since} leaves
 * out the steps up to that number and the events up to its end; {@code flows} adds to each step its
 * requests by kind. Safe on any thread.
 */
record HistoryPage(RequestHistory history) {
  AdminResponse show(Map<String, String> query) {
    long since;
    try {
      since = Long.parseLong(query.getOrDefault("since", "0"));
    } catch (NumberFormatException e) {
      return AdminErrors.json(
          HttpStatus.BAD_REQUEST,
          "illegal_argument_exception",
          "since: got [" + query.get("since") + "] (expected: the number of a step)");
    }
    return AdminResponse.json(
        HttpStatus.OK,
        new JsonTextWriter(JsonTextWriter.Layout.COMPACT)
            .tree(toMap(since, query.containsKey("flows")))
            .finish());
  }

  private Map<String, Object> toMap(long since, boolean withFlows) {
    List<Object> rows = new ArrayList<>();
    long afterMillis = 0;
    for (HistoryStep step : history.steps()) {
      if (step.number() > since) {
        rows.add(toMap(step, withFlows));
      } else {
        afterMillis = step.endMillis();
      }
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("now", history.clocks().millis().getAsLong());
    body.put("step_ms", RequestHistory.STEP_DURATION.toMillis());
    body.put("max_steps", RequestHistory.MAX_STEPS);
    body.put("latency_bounds_ms", LatencyBuckets.boundsMillis());
    body.put("steps", rows);
    body.put("events", history.events().toList(afterMillis));
    return body;
  }

  private static Map<String, Object> toMap(HistoryStep step, boolean withFlows) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("step", step.number());
    row.put("ended_at", step.endMillis());
    row.put("seconds", DisplayFormat.roundToThousandths(step.seconds()));
    row.putAll(counts(step, ""));
    row.put("cpu_cores", DisplayFormat.roundToThousandths(step.gateway().cpuCores()));
    row.put("heap_used_bytes", step.gateway().heapBytes());
    row.put("in_flight", step.gateway().inFlight());
    row.put("waiting", step.gateway().waiting());
    TreeSet<String> clusters = new TreeSet<>(step.gateway().nodeCpu().keySet());
    step.flows().keySet().forEach(flow -> clusters.add(flow.cluster()));
    clusters.remove("");
    Map<String, Object> byCluster = new LinkedHashMap<>();
    for (String cluster : clusters) {
      Map<String, Object> one = counts(step, cluster);
      Double cpu = step.gateway().nodeCpu().get(cluster);
      if (cpu != null) {
        one.put("node_cpu_ratio", DisplayFormat.roundToThousandths(cpu));
      }
      byCluster.put(cluster, one);
    }
    row.put("clusters", byCluster);
    if (withFlows) {
      List<Object> flows = new ArrayList<>();
      step.flows()
          .forEach((flow, sums) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("cluster", flow.cluster());
            one.put("path", flow.path());
            one.put("action", flow.action());
            one.put("counts", sums.buckets().trimmed());
            flows.add(one);
          });
      row.put("flows", flows);
    }
    return row;
  }

  /** The figures of one cluster, or of the gateway; the latency is of the nodes' answers. */
  private static Map<String, Object> counts(HistoryStep step, String cluster) {
    UsageCounts.Sums sums = step.total(cluster);
    BucketCounts answered = step.answeredByNodes(cluster);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("requests", sums.requests());
    row.put("errors", sums.failed());
    row.put("rejections", sums.rejected());
    if (answered.sum() > 0) {
      row.put("median_ms", DisplayFormat.roundToThousandths(answered.quantileMillis(0.5)));
      row.put("p99_ms", DisplayFormat.roundToThousandths(answered.quantileMillis(0.99)));
    }
    return row;
  }
}
