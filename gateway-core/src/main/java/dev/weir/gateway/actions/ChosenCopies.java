package dev.weir.gateway.actions;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.routing.Explanation;
import dev.weir.routing.ReplicaSelector;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes down, for a client that asked, in which order a search tries the copies of its shards: a
 * JSON array in one response header, of ASCII characters only, cut off after 8 KB between shards.
 */
final class ChosenCopies {
  private static final int MOST_CHARACTERS = 8 << 10;
  private static final String CUT = "\"...\"]";

  private final StringBuilder text = new StringBuilder("[");
  private final ReplicaSelector selector;
  private boolean cut;

  ChosenCopies(ReplicaSelector selector) {
    this.selector = selector;
  }

  /** Adds a shard; {@code nodes} in the order in which they are tried. */
  void add(ClusterView view, ShardTarget target, List<String> nodes) {
    if (cut) {
      return;
    }
    StringBuilder shard = new StringBuilder(text.length() > 1 ? "," : "");
    shard.append("{\"index\":");
    quote(target.shardId().getIndexName(), shard);
    shard.append(",\"shard\":").append(target.shardId().id()).append(",\"copies\":[");
    Explanation why = selector.explain(target.copies(), Phase.QUERY);
    for (int i = 0; i < nodes.size(); i++) {
      copy(view, nodes.get(i), why, shard.append(i == 0 ? "" : ","));
    }
    shard.append("]}");
    cut = text.length() + shard.length() + CUT.length() + 1 > MOST_CHARACTERS;
    if (!cut) {
      text.append(shard);
    }
  }

  private static void copy(ClusterView view, String nodeId, Explanation why, StringBuilder out) {
    NodeEndpoint node = view.nodes().get(nodeId);
    out.append("{\"node\":");
    quote(node == null ? nodeId : node.name(), out);
    for (Explanation.Candidate candidate : why.candidates()) {
      if (candidate.copy().nodeId().equals(nodeId)) {
        String score = String.format(Locale.ROOT, "%.4g", candidate.score());
        out.append(",\"standing\":\"")
            .append(candidate.standing().name().toLowerCase(Locale.ROOT))
            .append("\",\"score\":")
            .append(score);
        break;
      }
    }
    out.append('}');
  }

  private static void quote(String value, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  /** Puts the header on the answer. */
  void tell(RequestContext context) {
    String end = cut ? (text.length() > 1 ? "," : "") + CUT : "]";
    context.addResponseHeaders(Map.of(RequestContext.EXPLAIN, List.of(text + end)));
  }
}
