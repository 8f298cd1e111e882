package dev.weir.core.actions.explain;

import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestContext;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Stores why the newest rejected requests were rejected, up to a bounded number. Safe on any
 * thread, also on event loops: under its lock it only finds and copies entries.
 */
public final class RecentRejections {
  /**
   * The largest number of stored rejections of one request, such as those of the searches of a
   * multi-search.
   */
  private static final int MAX_PER_REQUEST = 8;

  private static final String OPAQUE_ID = "X-Opaque-Id";

  /** The stored characters of an X-Opaque-Id. */
  private static final int MAX_OPAQUE_ID_LENGTH = 128;

  private final LongSupplier currentTimeMillis;
  private final AtomicLong lastNumber = new AtomicLong();
  private final LinkedHashMap<Long, RejectedRequest> byNumber = new LinkedHashMap<>();
  private int maxSize;

  /**
   * The identity of a rejected request.
   *
   * @param number the gateway's number for the request
   * @param opaqueId the client's X-Opaque-Id; empty for none
   * @param tenant the request's tenant
   * @param requestLine method, path and query
   */
  public record RequestIdentity(long number, String opaqueId, String tenant, String requestLine) {
    /** Truncates the client's id. */
    public RequestIdentity {
      opaqueId = truncate(opaqueId);
    }

    /** Returns the identity of the request that this context belongs to. */
    public static RequestIdentity of(RequestContext context) {
      return new RequestIdentity(
          context.taskId(),
          context.transportHeaders().getOrDefault(OPAQUE_ID, ""),
          context.tenant(),
          context.requestSummary());
    }

    /** Returns the part of a client's X-Opaque-Id that is stored and compared. */
    static String truncate(String opaqueId) {
      return DisplayFormat.truncate(opaqueId, MAX_OPAQUE_ID_LENGTH);
    }
  }

  /** A rejected request, or one of which parts were rejected. */
  private static final class RejectedRequest {
    private final RequestIdentity request;
    private final long atMillis;
    private final List<Rejection> rejections = new ArrayList<>(1);
    private int omitted;

    RejectedRequest(RequestIdentity identity, long atMillis) {
      this.request = identity;
      this.atMillis = atMillis;
    }

    Snapshot toSnapshot() {
      return new Snapshot(request, atMillis, List.copyOf(rejections), omitted);
    }
  }

  /** A copy of an entry, to be described without the lock. */
  private record Snapshot(
      RequestIdentity request, long atMillis, List<Rejection> rejections, int omitted) {}

  /** Returns the next request's number, under which an explanation can be requested. */
  public long nextNumber() {
    return lastNumber.incrementAndGet();
  }

  /**
   * Creates a store for this many requests; 0 for none.
   *
   * @param millis the wall clock, milliseconds since the epoch
   */
  RecentRejections(int most, LongSupplier millis) {
    this.maxSize = most;
    this.currentTimeMillis = millis;
  }

  /** Changes the number of stored requests. */
  synchronized void resize(int now) {
    maxSize = now;
    evictExcess();
  }

  private void evictExcess() {
    while (byNumber.size() > maxSize) {
      byNumber.pollFirstEntry();
    }
  }

  /** Records that a request, or a part of it, was rejected. */
  public synchronized void add(RequestIdentity identity, Rejection why) {
    RejectedRequest request =
        byNumber.computeIfAbsent(
            identity.number(),
            number -> new RejectedRequest(identity, currentTimeMillis.getAsLong()));
    if (request.rejections.size() < MAX_PER_REQUEST) {
      request.rejections.add(why);
    } else {
      request.omitted++;
    }
    evictExcess();
  }

  /** Returns whether the rejection of the request with this number is stored. */
  public synchronized boolean contains(long number) {
    return byNumber.containsKey(number);
  }

  /** Returns the numbers of the stored requests. */
  synchronized Set<Long> numbers() {
    return Set.copyOf(byNumber.keySet());
  }

  /** Returns the number of stored requests. */
  public synchronized int size() {
    return byNumber.size();
  }

  /** Returns the number of the newest request with this X-Opaque-Id; 0 for none. */
  synchronized long newest(String opaqueId) {
    for (RejectedRequest one : byNumber.sequencedValues().reversed()) {
      if (one.request.opaqueId().equals(opaqueId)) {
        return one.request.number();
      }
    }
    return 0;
  }

  /**
   * Describes the newest rejections, latest first, as maps for JSON.
   *
   * @param names node names by id
   */
  List<Map<String, Object>> newest(int count, UnaryOperator<String> names) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Snapshot one : newestSnapshots(count)) {
      Map<String, Object> row = describe(one);
      addReasons(one, names, row);
      rows.add(row);
    }
    return rows;
  }

  private synchronized List<Snapshot> newestSnapshots(int count) {
    return byNumber.sequencedValues().reversed().stream()
        .limit(count)
        .map(RejectedRequest::toSnapshot)
        .toList();
  }

  private synchronized @Nullable Snapshot snapshot(long number) {
    RejectedRequest one = byNumber.get(number);
    return one == null ? null : one.toSnapshot();
  }

  /**
   * Describes a request that has no routing decisions, as maps for JSON; null if it is not stored.
   */
  @Nullable Map<String, Object> describe(long number) {
    Snapshot one = snapshot(number);
    return one == null ? null : describe(one);
  }

  private static Map<String, Object> describe(Snapshot one) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("request_id", Long.toString(one.request.number()));
    row.put("opaque_id", one.request.opaqueId());
    row.put("tenant", one.request.tenant());
    row.put("request_line", one.request.requestLine());
    row.put("rejected_at", Instant.ofEpochMilli(one.atMillis).toString());
    return row;
  }

  /**
   * Adds the reasons of a request's rejection to a row; nothing if it was not rejected or is not
   * stored.
   */
  void addReasons(long number, UnaryOperator<String> names, Map<String, Object> row) {
    Snapshot one = snapshot(number);
    if (one != null) {
      addReasons(one, names, row);
    }
  }

  private static void addReasons(
      Snapshot one, UnaryOperator<String> names, Map<String, Object> row) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Rejection rejection : one.rejections) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("rejected_by", DisplayFormat.toKebabCase(rejection.cause()));
      String nodeId = rejection.nodeId();
      if (nodeId != null) {
        shown.put("node", nodeId);
        shown.put("name", names.apply(nodeId));
      }
      shown.putAll(rejection.measurements().get());
      shown.put("reason", rejection.reason().get());
      all.add(shown);
    }
    row.put("rejections", all);
    row.put("omitted_rejections", one.omitted);
  }
}
