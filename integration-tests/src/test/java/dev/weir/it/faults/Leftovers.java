package dev.weir.it.faults;

import dev.weir.it.TestBed;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.RestReply;
import java.util.Map;

/** Insists that a scenario left nothing behind, in the gateway and on the nodes. */
final class Leftovers {
  private Leftovers() {}

  /** Nothing under way in the gateway; no search, nothing of one, on any node. */
  static void none(TestBed bed, DataNodes nodes) {
    bed.assertAtRest();
    Until.value("searches that run on nodes", () -> searches(nodes), String::isEmpty);
    Until.value("search contexts that are open on nodes", () -> contexts(nodes), n -> n == 0);
  }

  /** How many search contexts are open. */
  static long contexts(DataNodes nodes) {
    return Json.of(ask(nodes, "/_nodes/stats/indices/search")).body().get("nodes")
            instanceof Map<?, ?> each
        ? each.values().stream().mapToLong(Leftovers::openContexts).sum()
        : -1;
  }

  @SuppressWarnings("unchecked")
  private static long openContexts(Object node) {
    return new Json(200, (Map<String, Object>) node).number("indices.search.open_contexts");
  }

  /** What of searches runs; empty when nothing does. */
  static String searches(DataNodes nodes) {
    Object found = Json.of(ask(nodes, "/_tasks?actions=indices:data/read/*")).at("nodes");
    return found instanceof Map<?, ?> some && !some.isEmpty() ? some.toString() : "";
  }

  private static RestReply ask(DataNodes nodes, String path) {
    return nodes.rest().send("GET", path).orThrow();
  }
}
