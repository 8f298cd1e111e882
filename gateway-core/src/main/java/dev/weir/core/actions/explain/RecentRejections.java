package dev.weir.core.actions.explain;

import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestContext;
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
public final class RecentRejections {
  /** Refusals of one request that are kept, such as those of the searches of a multi-search. */
  private static final int MAX_PER_REQUEST = 8;

  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** Characters of an X-Opaque-Id that are kept. */
  private static final int MAX_OPAQUE_ID_LENGTH = 128;

  private final LongSupplier currentTimeMillis;
  private final AtomicLong lastNumber = new AtomicLong();
  private final LinkedHashMap<Long, RejectedRequest> byNumber = new LinkedHashMap<>();
  private int maxSize;

  /**
   * Whose request was refused.
   *
   * @param number the gateway's own number for it
   * @param opaqueId the client's name for it; empty for none
   * @param tenant whose it is
   * @param requestLine its method, path and query
   */
  public record RequestIdentity(long number, String opaqueId, String tenant, String requestLine) {
    /** Keeps no more of the client's name than counts. */
    public RequestIdentity {
      opaqueId = truncate(opaqueId);
    }

    /** Whose request it is that this belongs to. */
    public static RequestIdentity of(RequestContext context) {
      return new RequestIdentity(
          context.taskId(),
          context.transportHeaders().getOrDefault(OPAQUE_ID, ""),
          context.tenant(),
          context.requestSummary());
    }

    /** The part of a client's X-Opaque-Id that is kept and compared. */
    static String truncate(String opaqueId) {
      return opaqueId.length() <= MAX_OPAQUE_ID_LENGTH
          ? opaqueId
          : opaqueId.substring(0, MAX_OPAQUE_ID_LENGTH);
    }
  }

  /** A request that was refused, or some parts of it. */
  private static final class RejectedRequest {
    private final RequestIdentity request;
    private final long atMillis;
    private final List<Rejection> rejections = new ArrayList<>(1);
    private int omitted;

    RejectedRequest(RequestIdentity identity, long atMillis) {
      this.request = identity;
      this.atMillis = atMillis;
    }
  }

  /** The next request's number, by which it can be asked for. */
  public long nextNumber() {
    return lastNumber.incrementAndGet();
  }

  /**
   * Makes one that keeps so many requests; 0 for none.
   *
   * @param millis the clock on the wall
   */
  RecentRejections(int most, LongSupplier millis) {
    this.maxSize = most;
    this.currentTimeMillis = millis;
  }

  /** Keeps so many from now on. */
  synchronized void resize(int now) {
    maxSize = now;
    evictExcess();
  }

  private void evictExcess() {
    while (byNumber.size() > maxSize) {
      byNumber.pollFirstEntry();
    }
  }

  /** A request, or a part of it, was refused. */
  public synchronized void add(RequestIdentity identity, Rejection why) {
    RejectedRequest refused =
        byNumber.computeIfAbsent(
            identity.number(),
            number -> new RejectedRequest(identity, currentTimeMillis.getAsLong()));
    if (refused.rejections.size() < MAX_PER_REQUEST) {
      refused.rejections.add(why);
    } else {
      refused.omitted++;
    }
    evictExcess();
  }

  /** Whether it is kept why the request of this number was refused. */
  public synchronized boolean contains(long number) {
    return byNumber.containsKey(number);
  }

  /** How many are kept. */
  public synchronized int size() {
    return byNumber.size();
  }

  /** The number of the newest that its client called so; 0 for none. */
  synchronized long newest(String opaqueId) {
    for (RejectedRequest one : byNumber.sequencedValues().reversed()) {
      if (one.request.opaqueId().equals(opaqueId)) {
        return one.request.number();
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
    for (RejectedRequest one : byNumber.sequencedValues().reversed()) {
      if (rows.size() == count) {
        break;
      }
      Map<String, Object> row = describe(one);
      addReasons(one, names, row);
      rows.add(row);
    }
    return rows;
  }

  /** One that is not known otherwise, as maps to be shown as JSON; null when it is not kept. */
  synchronized @Nullable Map<String, Object> describe(long number) {
    RejectedRequest one = byNumber.get(number);
    return one == null ? null : describe(one);
  }

  private static Map<String, Object> describe(RejectedRequest one) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("request_id", Long.toString(one.request.number()));
    row.put("opaque_id", one.request.opaqueId());
    row.put("tenant", one.request.tenant());
    row.put("request_line", one.request.requestLine());
    row.put("rejected_at", Instant.ofEpochMilli(one.atMillis).toString());
    return row;
  }

  /** Adds why a request was refused; nothing when it was not, or is not kept. */
  synchronized void addReasons(long number, UnaryOperator<String> names, Map<String, Object> row) {
    RejectedRequest one = byNumber.get(number);
    if (one != null) {
      addReasons(one, names, row);
    }
  }

  private static void addReasons(
      RejectedRequest one, UnaryOperator<String> names, Map<String, Object> row) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rejection refusal : one.rejections) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("rejected_by", DisplayFormat.toKebabCase(refusal.cause()));
      String nodeId = refusal.nodeId();
      if (nodeId != null) {
        shown.put("node", nodeId);
        shown.put("name", names.apply(nodeId));
      }
      shown.putAll(refusal.measurements().get());
      shown.put("reason", refusal.reason().get());
      all.add(shown);
    }
    row.put("rejections", all);
    row.put("omitted_rejections", one.omitted);
  }
}
