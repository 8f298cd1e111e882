package dev.weir.core.actions.explain;

import dev.weir.model.RequestContext;
import dev.weir.model.Shown;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Why the newest refused requests were refused, a bounded number of them. Its lock is held for
 * arithmetic alone, except when somebody wants to know. Safe on any thread.
 */
public final class RecentRefusals {
  /** Refusals of one request that are kept, such as those of the searches of a multi-search. */
  private static final int MOST_OF_ONE = 8;

  private final LongSupplier millis;
  private final AtomicLong lastNumber = new AtomicLong();
  private final LinkedHashMap<Long, Refused> byNumber = new LinkedHashMap<>();
  private int most;

  /**
   * Whose request was refused.
   *
   * @param number the gateway's own number for it
   * @param opaqueId the client's name for it; empty for none
   * @param tenant whose it is
   * @param asked its method, path and query
   */
  public record Who(long number, String opaqueId, String tenant, String asked) {
    /** Keeps no more of the client's name than counts. */
    public Who {
      opaqueId = RecentChoices.cut(opaqueId);
    }

    /** Whose request it is that this belongs to. */
    public static Who of(RequestContext context) {
      return new Who(
          context.taskId(), RecentChoices.opaqueId(context), context.tenant(), context.asked());
    }
  }

  /** A request that was refused, or some parts of it. */
  private static final class Refused {
    private final Who who;
    private final long atMillis;
    private final List<Refusal> why = new ArrayList<>(1);
    private int leftOut;

    Refused(Who who, long atMillis) {
      this.who = who;
      this.atMillis = atMillis;
    }
  }

  /** The next request's number, by which it can be asked for. */
  public long number() {
    return lastNumber.incrementAndGet();
  }

  /**
   * Makes one that keeps so many requests; 0 for none.
   *
   * @param millis the clock on the wall
   */
  RecentRefusals(int most, LongSupplier millis) {
    this.most = most;
    this.millis = millis;
  }

  /** Keeps so many from now on. */
  synchronized void resize(int now) {
    most = now;
    bound();
  }

  private void bound() {
    while (byNumber.size() > most) {
      byNumber.pollFirstEntry();
    }
  }

  /** A request, or a part of it, was refused. */
  public synchronized void add(Who who, Refusal why) {
    Refused refused =
        byNumber.computeIfAbsent(who.number(), number -> new Refused(who, millis.getAsLong()));
    if (refused.why.size() < MOST_OF_ONE) {
      refused.why.add(why);
    } else {
      refused.leftOut++;
    }
    bound();
  }

  /** Whether it is kept why the request of this number was refused. */
  public synchronized boolean keeps(long number) {
    return byNumber.containsKey(number);
  }

  /** How many are kept. */
  public synchronized int kept() {
    return byNumber.size();
  }

  /** The number of the newest that its client called so; 0 for none. */
  synchronized long newest(String opaqueId) {
    for (Refused one : byNumber.sequencedValues().reversed()) {
      if (one.who.opaqueId().equals(opaqueId)) {
        return one.who.number();
      }
    }
    return 0;
  }

  /**
   * The newest, the last one first, as maps to be shown as JSON.
   *
   * @param names of nodes by their ids
   */
  synchronized List<Map<String, Object>> newest(int count, UnaryOperator<String> names) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Refused one : byNumber.sequencedValues().reversed()) {
      if (rows.size() == count) {
        break;
      }
      Map<String, Object> row = head(one);
      why(one, names, row);
      rows.add(row);
    }
    return rows;
  }

  /** One that is not known otherwise, as maps to be shown as JSON; null when it is not kept. */
  synchronized @Nullable Map<String, Object> head(long number) {
    Refused one = byNumber.get(number);
    return one == null ? null : head(one);
  }

  private static Map<String, Object> head(Refused one) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("request", Long.toString(one.who.number()));
    row.put("opaque_id", one.who.opaqueId());
    row.put("tenant", one.who.tenant());
    row.put("asked", one.who.asked());
    row.put("refused_at", Instant.ofEpochMilli(one.atMillis).toString());
    return row;
  }

  /** Adds why a request was refused; nothing when it was not, or is not kept. */
  synchronized void why(long number, UnaryOperator<String> names, Map<String, Object> row) {
    Refused one = byNumber.get(number);
    if (one != null) {
      why(one, names, row);
    }
  }

  private static void why(Refused one, UnaryOperator<String> names, Map<String, Object> row) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Refusal refusal : one.why) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("by", Shown.word(refusal.by()));
      String nodeId = refusal.nodeId();
      if (nodeId != null) {
        shown.put("node", nodeId);
        shown.put("name", names.apply(nodeId));
      }
      shown.putAll(refusal.measured().get());
      shown.put("reason", refusal.reason().get());
      all.add(shown);
    }
    row.put("refused", all);
    row.put("refused_left_out", one.leftOut);
  }
}
