package dev.weir.gateway.actions;

import dev.weir.gateway.cluster.ShardTarget;
import dev.weir.model.RequestNotes;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Work;
import dev.weir.routing.ReplicaSelector;
import dev.weir.routing.Scale;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which copies one request chose among, by which numbers, and which were asked: compact, bounded,
 * and used again for another request, unless its client wants to be told. Safe on any thread; who
 * writes for a request that is not kept here any more is not heard.
 */
final class RequestChoices implements RequestNotes {
  private static final int MOST_SHARDS = 128;
  private static final int USUAL_SHARDS = 4;
  private static final int MOST_ID = 128;

  private final RecentChoices recent;
  private final boolean reusable;
  private long id = -1;
  private String opaqueId = "";
  private String action = "";
  private long startedMillis;
  private long startedNanos;
  private boolean remarkable;
  private int shards;
  private int leftOut;
  private String[] indices = new String[USUAL_SHARDS];
  private int[] numbers = new int[USUAL_SHARDS];
  private Work[] works = new Work[USUAL_SHARDS];
  private Scale[] scales = new Scale[USUAL_SHARDS];
  private boolean[] byScore = new boolean[USUAL_SHARDS];
  private int[] firstCopy = new int[USUAL_SHARDS + 1];
  private final WeighedCopies copies = new WeighedCopies();
  private final AskedCopies asked = new AskedCopies();

  private RequestChoices(RecentChoices recent, boolean reusable) {
    this.recent = recent;
    this.reusable = reusable;
  }

  /** One that keeps one request after the other. */
  static RequestChoices reusable(RecentChoices recent) {
    return new RequestChoices(recent, true);
  }

  /** One that keeps a single request, which is told what is in here when it is answered. */
  static RequestChoices once(RecentChoices recent) {
    return new RequestChoices(recent, false);
  }

  boolean reusable() {
    return reusable;
  }

  /** Begins anew, for another request. */
  synchronized void begin(long request, String opaque, String what, long nowMillis) {
    id = request;
    opaqueId = cut(opaque);
    action = what;
    startedMillis = nowMillis;
    startedNanos = recent.now();
    remarkable = false;
    if (indices.length > USUAL_SHARDS && shards <= USUAL_SHARDS) {
      resize(USUAL_SHARDS);
    }
    shards = 0;
    leftOut = 0;
    copies.clear();
    asked.clear();
  }

  private static String cut(String opaque) {
    return opaque.length() <= MOST_ID ? opaque : opaque.substring(0, MOST_ID);
  }

  /** Whether a copy was late, failed, or was asked to learn about it. */
  synchronized boolean remarkable() {
    return remarkable;
  }

  synchronized boolean isOf(long request) {
    return id == request;
  }

  /** Whether the client named the request so. */
  synchronized boolean isNamed(String name) {
    return id >= 0 && !opaqueId.isEmpty() && opaqueId.equals(cut(name));
  }

  synchronized long id() {
    return id;
  }

  /**
   * A shard's copies were put in order.
   *
   * @param scored whether scores decided, where there was something to choose
   */
  synchronized ShardNotes chose(
      long request, ShardTarget target, List<ShardCopy> ordered, Work work, boolean scored) {
    if (id != request) {
      return ShardNotes.NONE;
    }
    if (shards == MOST_SHARDS || !copies.hasRoom(ordered.size())) {
      leftOut++;
      return ShardNotes.NONE;
    }
    if (shards == indices.length) {
      resize(Math.min(MOST_SHARDS, 4 * shards));
    }
    ReplicaSelector selector = recent.selector();
    Scale scale = selector.scale();
    indices[shards] = target.shardId().getIndexName();
    numbers[shards] = target.shardId().id();
    works[shards] = work;
    scales[shards] = scale;
    byScore[shards] = scored;
    firstCopy[shards] = copies.count();
    copies.add(ordered, work, selector, scale);
    firstCopy[shards + 1] = copies.count();
    return new Notes(this, request, shards++);
  }

  private void resize(int size) {
    indices = Arrays.copyOf(indices, size);
    numbers = Arrays.copyOf(numbers, size);
    works = Arrays.copyOf(works, size);
    scales = Arrays.copyOf(scales, size);
    byScore = Arrays.copyOf(byScore, size);
    firstCopy = Arrays.copyOf(firstCopy, size + 1);
  }

  private record Notes(RequestChoices choices, long request, int shard) implements ShardNotes {
    @Override
    public void asked(String phase, String nodeId, Why why) {
      choices.asked(this, phase, nodeId, why);
    }

    @Override
    public void over(String nodeId, Outcome outcome) {
      choices.over(this, nodeId, outcome);
    }
  }

  private synchronized void asked(Notes by, String phase, String nodeId, ShardNotes.Why why) {
    if (id == by.request()) {
      remarkable |= why != ShardNotes.Why.BEST && why != ShardNotes.Why.ONLY_COPY;
      asked.add(by.shard(), phase, nodeId, why, recent.now());
    }
  }

  private synchronized void over(Notes by, String nodeId, ShardNotes.Outcome outcome) {
    if (id == by.request()) {
      asked.over(by.shard(), nodeId, outcome, recent.now());
    }
  }

  @Override
  public synchronized String told() {
    return ToldChoices.of(shown(recent.names()));
  }

  /** All of it, as maps to be shown as JSON; null when another request is kept here by now. */
  synchronized @Nullable Map<String, Object> shown(long request, UnaryOperator<String> names) {
    return id == request ? shown(names) : null;
  }

  private Map<String, Object> shown(UnaryOperator<String> names) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("request", Long.toString(id));
    body.put("opaque_id", opaqueId);
    body.put("action", action);
    body.put("started", Instant.ofEpochMilli(startedMillis).toString());
    List<Object> rows = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      rows.add(shard(shard, names));
    }
    body.put("shards", rows);
    body.put("shards_left_out", leftOut);
    body.put("calls_left_out", asked.leftOut());
    return body;
  }

  private Map<String, Object> shard(int shard, UnaryOperator<String> names) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", indices[shard]);
    row.put("shard", numbers[shard]);
    row.put("work", word(works[shard]));
    row.put("policy", byScore[shard] ? scales[shard].policy() : "");
    row.put("formula", byScore[shard] ? scales[shard].formula() : "");
    int from = firstCopy[shard];
    int to = firstCopy[shard + 1];
    row.put("order", byScore[shard] ? "by score" : "fixed, or in turns");
    List<Object> calls = calls(shard, names);
    row.put("winner", winner(shard));
    List<Object> candidates = new ArrayList<>();
    for (int copy = from; copy < to; copy++) {
      candidates.add(candidate(copy, 1 + copy - from, scales[shard], names));
    }
    row.put("candidates", candidates);
    row.put("asked", calls);
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
      term.put("value", rounded(copies.number(copy, n)));
      term.put("unit", scale.names().get(n).unit());
      terms.add(term);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rank", rank);
    row.put("node", copies.node(copy));
    row.put("name", names.apply(copies.node(copy)));
    row.put("primary", copies.primary(copy));
    row.put("standing", word(copies.standing(copy)));
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
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("phase", asked.phase(call));
      row.put("node", asked.node(call));
      row.put("name", names.apply(asked.node(call)));
      row.put("reason", word(asked.why(call)));
      row.put("after_ms", rounded((asked.askedNanos(call) - startedNanos) / 1e6));
      row.put("outcome", outcome == null ? "under-way" : word(outcome));
      long until = outcome == null ? recent.now() : asked.overNanos(call);
      row.put("took_ms", rounded((until - asked.askedNanos(call)) / 1e6));
      calls.add(row);
    }
    return calls;
  }

  private static double rounded(double value) {
    return Math.round(value * 1e3) / 1e3;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
