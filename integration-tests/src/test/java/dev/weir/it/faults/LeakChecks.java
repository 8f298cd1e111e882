package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asserts that a scenario leaves nothing behind, in the gateway and on the nodes. */
final class LeakChecks {
  private LeakChecks() {}

  /**
   * Waits until nothing is in flight in the gateway, and no node has a search or a search context.
   */
  static void assertNone(TestBed bed, DataNodeCluster nodes) {
    bed.assertNothingHeld();
    Await.untilValue("searches that run on nodes", () -> runningSearches(nodes), String::isEmpty);
    Await.untilValue(
        "search contexts that are open on nodes", () -> countSearchContexts(nodes), n -> n == 0);
  }

  /** Gauges that are zero in all their rows when nothing is in flight. */
  private static final List<String> GAUGES =
      List.of(
          "weir_requests_in_flight",
          "weir_body_memory_bytes",
          "weir_work_memory_bytes",
          "weir_request_memory_bytes",
          "weir_pacing_waiting_requests",
          "weir_coalescing_waiting_searches",
          "weir_queue_in_flight_calls",
          "weir_queue_waiting_requests",
          "weir_reductions_queued",
          "weir_reductions_running",
          "weir_proxy_in_flight_requests",
          "weir_proxy_waiting_requests",
          "weir_node_outstanding_calls",
          "weir_transport_pending_calls",
          "weir_transport_held_frames",
          "weir_transport_held_bytes",
          "weir_transport_unsent_bytes");

  /** Every gauge of work in flight, queued or held is zero; no task ban is left to remove. */
  static void assertGaugesZero(TestBed bed) {
    Await.untilValue("gauges that are not zero", () -> notZero(bed), List::isEmpty);
    Await.untilValue(
        "bans that are left",
        () ->
            JsonResponse.of(bed.admin().send("GET", "/stats"))
                .number("deadlines.pending_ban_removals"),
        left -> left == 0);
  }

  private static List<String> notZero(TestBed bed) {
    List<String> rows = bed.admin().send("GET", "/metrics").orThrow().body().lines().toList();
    List<String> found = new ArrayList<>();
    for (String gauge : GAUGES) {
      List<String> of = rows.stream().filter(row -> isOf(row, gauge)).toList();
      assertThat(of).as("rows of %s", gauge).isNotEmpty();
      of.stream().filter(row -> !row.endsWith(" 0.0")).forEach(found::add);
    }
    return found;
  }

  private static boolean isOf(String row, String gauge) {
    return row.startsWith(gauge + " ") || row.startsWith(gauge + "{");
  }

  /** Returns the number of open search contexts. */
  static long countSearchContexts(DataNodeCluster nodes) {
    return JsonResponse.of(ask(nodes, "/_nodes/stats/indices/search")).body().get("nodes")
            instanceof Map<?, ?> each
        ? each.values().stream().mapToLong(LeakChecks::openContexts).sum()
        : -1;
  }

  @SuppressWarnings("unchecked")
  private static long openContexts(Object node) {
    return new JsonResponse(200, (Map<String, Object>) node).number("indices.search.open_contexts");
  }

  /** Returns the running search tasks; empty if there are none. */
  static String runningSearches(DataNodeCluster nodes) {
    Object found = JsonResponse.of(ask(nodes, "/_tasks?actions=indices:data/read/*")).at("nodes");
    return found instanceof Map<?, ?> some && !some.isEmpty() ? some.toString() : "";
  }

  private static RestReply ask(DataNodeCluster nodes, String path) {
    return nodes.rest().send("GET", path).orThrow();
  }
}
