package dev.weir.admission.memory;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory.LimitScope;
import dev.weir.admission.memory.GatewayMemory.RequestUsage;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.MemoryRejection;
import dev.weir.model.ParsedBodyLimits;
import dev.weir.model.RequestMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts the memory that one request holds, as a part of {@link GatewayMemory}. Rejects a
 * reservation that exceeds the limit of the request, of its tenant, or of a pool. The caller that
 * reserved bytes releases them, also after the request has ended. Safe on any thread; holds its
 * lock for arithmetic only.
 */
public final class RequestMemoryAccount implements RequestMemory {
  /** The admin pages list a request from this many bytes on. */
  static final long LARGE_BYTES = 1 << 20;

  /**
   * The fraction of a pool (one 32nd) that is exempt from the shares of one request and one tenant.
   */
  static final int SHARE_EXEMPT_DIVISOR = 32;

  private static final Category[] CATEGORIES = Category.values();

  private final GatewayMemory gateway;
  private final String method;
  private final String uri;
  private final @Nullable String tenant;
  private final String opaqueId;
  private final RequestMemoryLimits limits;
  private volatile long taskId;
  private @Nullable TenantMemory tenantMemory;
  private boolean large;
  private long total;
  private long peakBytes;
  private long body;
  private long parsed;
  private long nodeResponses;
  private long decodedResponses;
  private long reduction;
  private long clientResponse;

  RequestMemoryAccount(
      GatewayMemory gateway,
      String method,
      String uri,
      @Nullable String tenant,
      String opaqueId,
      RequestMemoryLimits limits) {
    this.limits = limits;
    this.gateway = gateway;
    this.method = method;
    this.uri = uri;
    this.tenant = tenant;
    this.opaqueId = opaqueId;
  }

  @Override
  public void assignTaskId(long known) {
    taskId = known;
  }

  /** Returns the gateway's id of the request; 0 until it is set. */
  public long taskId() {
    return taskId;
  }

  /** Returns the client's {@code X-Opaque-Id}; empty for none. */
  public String opaqueId() {
    return opaqueId;
  }

  /** Returns the tenant; null for none. */
  public @Nullable String tenant() {
    return tenant;
  }

  @Override
  public long recordBodyRejection(MemoryRejection why) {
    gateway.notifyRejection(this, why);
    return taskId;
  }

  @Override
  public @Nullable MemoryRejection reserve(
      Category item, long bytes, Supplier<List<String>> growth) {
    ScopedRejection refused = reserveOrExplain(item, bytes, growth);
    if (refused == null) {
      return null;
    }
    if (refused.scope != LimitScope.REQUEST) {
      gateway.poolFor(item).recordRejection();
    }
    gateway.recordRejection(this, refused.scope, refused.rejection);
    return refused.rejection;
  }

  @Override
  public @Nullable MemoryRejection tryReserve(Category item, long bytes) {
    ScopedRejection refused = reserveOrExplain(item, bytes, List::of);
    return refused == null ? null : refused.rejection;
  }

  /** A rejection and the limit that caused it. */
  private record ScopedRejection(LimitScope scope, MemoryRejection rejection) {}

  private @Nullable ScopedRejection reserveOrExplain(
      Category item, long bytes, Supplier<List<String>> growth) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    RequestMemoryPolicy policy = limits.policy();
    MemoryPool pool = gateway.poolFor(item);
    LimitScope bound;
    synchronized (this) {
      bound = take(item, bytes, policy, pool);
    }
    if (bound == null) {
      gateway.addUsage(item, bytes);
      return null;
    }
    boolean own = bound == LimitScope.REQUEST;
    long now = own ? usedBytes() : pool.usedBytes();
    return new ScopedRejection(
        bound,
        new MemoryRejection(
            item,
            bytes,
            bytes > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + bytes,
            own ? policy.maxBytes().bytes() : pool.limitBytes(),
            own ? bound.label() + " (" + limits.setBy() + ".max-bytes)" : bound.label(),
            own || isTooLargeAlone(item, bytes, policy, pool),
            bill(),
            growth.get()));
  }

  private synchronized boolean isTooLargeAlone(
      Category item, long bytes, RequestMemoryPolicy policy, MemoryPool pool) {
    double most = pool.limitBytes() * (policy.enabled() ? policy.maxPoolRatio() : 1);
    return bytes > most - usedInPool(item);
  }

  /** Reserves bytes; returns the limit that rejects them, or null. */
  private @Nullable LimitScope take(
      Category item, long bytes, RequestMemoryPolicy policy, MemoryPool pool) {
    if (policy.enabled() && bytes > policy.maxBytes().bytes() - total) {
      return LimitScope.REQUEST;
    }
    if (bytes > pool.limitBytes()) {
      return LimitScope.POOL; // tryReserve() could succeed: the limit may have been raised since
    }
    double free = policy.enabled() ? (1 - policy.maxPoolRatio()) / policy.maxPoolRatio() : 0;
    long ownBytes = usedInPool(item) + bytes;
    long leaving = requiredFreeBytes(ownBytes, pool, free);
    enterTenant();
    long ofTenant = tenantMemory == null ? 0 : usedInPool(tenantMemory, item) + bytes;
    long leavingByTenant = requiredFreeBytes(ofTenant, pool, free);
    if (!pool.tryReserve(bytes, Math.max(leaving, leavingByTenant))) {
      leaveTenantIfEmpty();
      long left = pool.limitBytes() - pool.usedBytes() - bytes;
      if (left < 0) {
        return LimitScope.POOL;
      }
      return leavingByTenant > leaving ? LimitScope.TENANT : LimitScope.POOL_SHARE;
    }
    addReserved(item, bytes);
    return null;
  }

  @Override
  public void forceReserve(Category item, long bytes) {
    synchronized (this) {
      enterTenant();
      gateway.poolFor(item).forceReserve(bytes);
      addReserved(item, bytes);
    }
    gateway.addUsage(item, bytes);
  }

  private void enterTenant() {
    if (tenantMemory == null && tenant != null && total == 0) {
      tenantMemory = gateway.enterTenant(tenant);
    }
  }

  private void addReserved(Category item, long bytes) {
    add(item, bytes);
    if (tenantMemory != null) {
      tenantMemory.addUsage(item, bytes);
      leaveTenantIfEmpty(); // the tenant was entered and nothing was reserved
    }
    if (total > peakBytes) {
      peakBytes = total;
    }
    if (!large && total >= LARGE_BYTES) {
      large = true;
      gateway.trackLarge(this, true);
    }
  }

  /**
   * Returns the bytes that must stay free in a pool while one request or tenant holds {@code held}.
   */
  private static long requiredFreeBytes(long held, MemoryPool pool, double free) {
    return held <= pool.limitBytes() / SHARE_EXEMPT_DIVISOR ? 0 : (long) (held * free);
  }

  @Override
  public void release(Category item, long bytes) {
    synchronized (this) {
      if (bytes < 0 || bytes > usedIn(item)) {
        throw new IllegalArgumentException(
            "got " + bytes + " bytes of " + item + " back (expected: 0 to " + usedIn(item) + ")");
      }
      add(item, -bytes);
      if (tenantMemory != null) {
        tenantMemory.addUsage(item, -bytes);
        leaveTenantIfEmpty();
      }
      if (large && total < LARGE_BYTES) {
        large = false;
        gateway.trackLarge(this, false);
      }
    }
    gateway.poolFor(item).release(bytes);
    gateway.addUsage(item, -bytes);
  }

  private void leaveTenantIfEmpty() {
    if (total == 0 && tenantMemory != null && tenant != null) {
      tenantMemory = null;
      gateway.leaveTenant(tenant);
    }
  }

  private void add(Category item, long bytes) {
    total += bytes;
    switch (item) {
      case BODY -> body += bytes;
      case PARSED_BODY -> parsed += bytes;
      case NODE_RESPONSES -> nodeResponses += bytes;
      case DECODED_RESPONSES -> decodedResponses += bytes;
      case REDUCTION -> reduction += bytes;
      case CLIENT_RESPONSE -> clientResponse += bytes;
    }
  }

  private long usedIn(Category item) {
    return switch (item) {
      case BODY -> body;
      case PARSED_BODY -> parsed;
      case NODE_RESPONSES -> nodeResponses;
      case DECODED_RESPONSES -> decodedResponses;
      case REDUCTION -> reduction;
      case CLIENT_RESPONSE -> clientResponse;
    };
  }

  private long usedInPool(Category item) {
    return switch (item) {
      case BODY -> body;
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE -> parsed + nodeResponses + clientResponse;
      case DECODED_RESPONSES, REDUCTION -> decodedResponses + reduction;
    };
  }

  private static long usedInPool(TenantMemory of, Category item) {
    return switch (item) {
      case BODY -> of.usedBytes(Category.BODY);
      case PARSED_BODY, NODE_RESPONSES, CLIENT_RESPONSE ->
          of.usedBytes(Category.PARSED_BODY)
              + of.usedBytes(Category.NODE_RESPONSES)
              + of.usedBytes(Category.CLIENT_RESPONSE);
      case DECODED_RESPONSES, REDUCTION ->
          of.usedBytes(Category.DECODED_RESPONSES) + of.usedBytes(Category.REDUCTION);
    };
  }

  @Override
  public ParsedBodyLimits parsedBodyLimits() {
    RequestMemoryPolicy policy = limits.policy();
    return new ParsedBodyLimits(policy.maxParsedBytes().bytes(), policy.maxItems());
  }

  /** Returns the bytes held in a category. */
  public synchronized long usedBytes(Category item) {
    return usedIn(item);
  }

  public synchronized long usedBytes() {
    return total;
  }

  /** Returns the most bytes held at once so far. */
  public synchronized long peakBytes() {
    return peakBytes;
  }

  /** Returns the memory bill: bytes by category, the largest first. */
  List<String> bill() {
    long[] amounts = new long[CATEGORIES.length];
    synchronized (this) {
      for (Category item : CATEGORIES) {
        amounts[item.ordinal()] = usedIn(item);
      }
    }
    List<Category> order = new ArrayList<>(Arrays.asList(CATEGORIES));
    order.removeIf(item -> amounts[item.ordinal()] == 0);
    order.sort(Comparator.comparingLong((Category item) -> amounts[item.ordinal()]).reversed());
    return order.stream()
        .map(item -> item.label() + " " + DisplayFormat.formatBytes(amounts[item.ordinal()]))
        .toList();
  }

  RequestUsage usage() {
    return new RequestUsage(requestSummary(), usedBytes(), peakBytes(), bill());
  }

  /** Returns method, path and query, shortened to one line. */
  public String requestSummary() {
    return DisplayFormat.formatRequest(method, uri);
  }
}
