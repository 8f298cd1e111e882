package dev.weir.gateway.actions.explain;

import dev.weir.model.ShardNotes;
import dev.weir.model.Shown;
import dev.weir.routing.Scale;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A request's choices as they were at one moment, to be shown as JSON.
 *
 * @param request which
 * @param shards its shards; nobody changes them any more
 * @param copies their copies; nobody changes them any more
 * @param asked which of these were asked; nobody changes them any more
 * @param nowNanos the moment
 */
record ShownChoices(
    Request request, ChosenShards shards, WeighedCopies copies, AskedCopies asked, long nowNanos) {

  /**
   * Whose choices they are.
   *
   * @param id the gateway's own number for it; -1 for none
   * @param opaqueId the client's name for it; empty for none
   * @param startedNanos on the clock of the calls' times
   */
  record Request(long id, String opaqueId, String action, long startedMillis, long startedNanos) {
    static final Request NONE = new Request(-1, "", "", 0, 0);
  }

  /** As maps. */
  Map<String, Object> by(UnaryOperator<String> names) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("request", Long.toString(request.id()));
    body.put("opaque_id", request.opaqueId());
    body.put("action", request.action());
    body.put("started", Instant.ofEpochMilli(request.startedMillis()).toString());
    List<Object> rows = new ArrayList<>();
    for (int shard = 0; shard < shards.count(); shard++) {
      rows.add(shard(shard, names));
    }
    body.put("shards", rows);
    body.put("shards_left_out", shards.leftOut());
    body.put("calls_left_out", asked.leftOut());
    return body;
  }

  private Map<String, Object> shard(int shard, UnaryOperator<String> names) {
    boolean byScore = shards.byScore(shard);
    Scale scale = shards.scale(shard);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", shards.index(shard));
    row.put("shard", shards.number(shard));
    row.put("work", shards.work(shard).label());
    row.put("policy", byScore ? scale.policy() : "");
    row.put("formula", byScore ? scale.formula() : "");
    row.put("order", byScore ? "by score" : "fixed, or in turns");
    row.put("winner", winner(shard));
    List<Object> candidates = new ArrayList<>();
    int from = shards.firstCopy(shard);
    for (int copy = from; copy < shards.firstCopy(shard + 1); copy++) {
      candidates.add(candidate(copy, 1 + copy - from, scale, names));
    }
    row.put("candidates", candidates);
    row.put("asked", calls(shard, names));
    return row;
  }

  /** The node whose answer counted, in the last phase that was answered; empty for none. */
  private String winner(int shard) {
    for (int call = asked.count() - 1; call >= 0; call--) {
      if (asked.shard(call) == shard && asked.outcome(call) == ShardNotes.Outcome.ANSWERED) {
        return asked.node(call);
      }
    }
    return "";
  }

  private Map<String, Object> candidate(
      int copy, int rank, Scale scale, UnaryOperator<String> names) {
    List<Object> terms = new ArrayList<>();
    for (int n = 0; n < scale.names().size(); n++) {
      Map<String, Object> term = new LinkedHashMap<>();
      term.put("term", scale.names().get(n).term());
      term.put("value", Shown.rounded(copies.number(copy, n)));
      term.put("unit", scale.names().get(n).unit());
      terms.add(term);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rank", rank);
    row.put("node", copies.node(copy));
    row.put("name", names.apply(copies.node(copy)));
    row.put("primary", copies.primary(copy));
    row.put("standing", Shown.word(copies.standing(copy)));
    row.put("score", copies.score(copy));
    row.put("terms", terms);
    return row;
  }

  private List<Object> calls(int shard, UnaryOperator<String> names) {
    List<Object> calls = new ArrayList<>();
    for (int call = 0; call < asked.count(); call++) {
      if (asked.shard(call) != shard) {
        continue;
      }
      ShardNotes.Outcome outcome = asked.outcome(call);
      long begun = asked.askedNanos(call);
      long until = outcome == null ? nowNanos : asked.overNanos(call);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("phase", asked.phase(call));
      row.put("node", asked.node(call));
      row.put("name", names.apply(asked.node(call)));
      row.put("reason", Shown.word(asked.why(call)));
      row.put("after_ms", Shown.rounded((begun - request.startedNanos()) / 1e6));
      row.put("outcome", outcome == null ? "under-way" : Shown.word(outcome));
      row.put("took_ms", Shown.rounded((until - begun) / 1e6));
      calls.add(row);
    }
    return calls;
  }
}
