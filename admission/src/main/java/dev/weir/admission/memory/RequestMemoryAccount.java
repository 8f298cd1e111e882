package dev.weir.admission.memory;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory.RequestUsage;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.MemoryRejection;
import dev.weir.model.MemoryWait;
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

  private static final Category[] CATEGORIES = Category.values();

  private final GatewayMemory gateway;
  private final String method;
  private final String uri;
  private final @Nullable String tenant;
  private final String opaqueId;
  private final RequestMemoryLimits limits;
  private volatile long taskId;
  private @Nullable TenantMemory tenantMemory;
  private @Nullable AccountMemoryWait wait;

  /** Bytes that were reserved after a wait and are not used yet; the tenant's usage has them. */
  private long grantedBytes;

  private @Nullable Category grantedItem;
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
    AccountMemoryWait waiting = currentWait();
    if (waiting != null && waiting.keep(refused)) {
      gateway.notifyWait(refused.rejection);
    } else {
      record(refused);
    }
    return refused.rejection;
  }

  /** Counts a rejection and keeps it for the admin pages. */
  void record(ScopedRejection refused) {
    if (refused.scope != MemoryLimitScope.REQUEST) {
      gateway.poolFor(refused.rejection.category()).recordRejection();
    }
    gateway.recordRejection(this, refused.scope, refused.rejection);
  }

  @Override
  public @Nullable MemoryRejection tryReserve(Category item, long bytes) {
    ScopedRejection refused = reserveOrExplain(item, bytes, List::of);
    return refused == null ? null : refused.rejection;
  }

  @Override
  public synchronized MemoryWait memoryWait() {
    AccountMemoryWait known = wait;
    if (known == null) {
      known = new AccountMemoryWait(this);
      wait = known;
    }
    return known;
  }

  private synchronized @Nullable AccountMemoryWait currentWait() {
    return wait;
  }

  RequestMemoryPolicy policy() {
    return limits.policy();
  }

  /** Returns the queue for memory of a category; null for bodies, which do not wait. */
  @Nullable MemoryWaitQueue waitQueue(Category item) {
    return gateway.waitQueue(item);
  }

  /** Returns the bytes of a category's pool that one request may hold while no other holds any. */
  long maxBytesAlone(Category item) {
    return PoolShare.of(limits.policy(), gateway.poolFor(item)).maxBytesAlone();
  }

  /** Returns the bytes held in the pool of a category. */
  synchronized long usedInPoolOf(Category item) {
    return usedInPool(item);
  }

  /**
   * A rejection and the limit that caused it.
   *
   * @param ownBytes what the request would have held of the pool
   */
  record ScopedRejection(MemoryLimitScope scope, MemoryRejection rejection, long ownBytes) {}

  private @Nullable ScopedRejection reserveOrExplain(
      Category item, long bytes, Supplier<List<String>> growth) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    PoolShare share = PoolShare.of(limits.policy(), gateway.poolFor(item));
    MemoryLimitScope bound;
    MemoryLimitReport report;
    long ownBytes;
    synchronized (this) {
      bound = take(item, bytes, share);
      if (bound != null) {
        ownBytes = MemoryLimitReport.sum(usedInPool(item), bytes);
        report = explain(bound, item, bytes, share);
      } else {
        ownBytes = 0;
        report = MemoryLimitReport.NONE;
      }
    }
    if (bound == null) {
      gateway.addUsage(item, bytes);
      return null;
    }
    return new ScopedRejection(
        bound, report.toRejection(item, bytes, bill(), growth.get()), ownBytes);
  }

  private MemoryLimitReport explain(
      MemoryLimitScope bound, Category item, long bytes, PoolShare share) {
    String key = GatewayMemory.limitKey(item);
    long own = usedInPool(item);
    if (bound == MemoryLimitScope.REQUEST) {
      return MemoryLimitReport.ofRequest(
          MemoryLimitReport.sum(total, bytes), share.policy(), limits.setBy());
    }
    if (bytes > share.maxBytesAlone() - own) {
      return MemoryLimitReport.ofRequestAlone(MemoryLimitReport.sum(own, bytes), share, key);
    }
    return switch (bound) {
      case POOL, REQUEST -> MemoryLimitReport.ofPool(bytes, share, key);
      case POOL_SHARE -> MemoryLimitReport.ofShare(bound, own, bytes, share, key);
      case TENANT -> {
        long ofTenant =
            tenantMemory == null
                ? own
                : usedInPool(tenantMemory, item) - Math.min(bytes, grantedIn(share.pool()));
        yield MemoryLimitReport.ofShare(bound, ofTenant, bytes, share, key);
      }
    };
  }

  /** Reserves bytes; returns the limit that rejects them, or null. */
  private @Nullable MemoryLimitScope take(Category item, long bytes, PoolShare share) {
    RequestMemoryPolicy policy = share.policy();
    if (policy.enabled() && bytes > policy.maxBytes().bytes() - total) {
      return MemoryLimitScope.REQUEST;
    }
    long granted = Math.min(bytes, grantedIn(share.pool()));
    MemoryLimitScope bound = takeFromPool(item, bytes, granted, share);
    if (bound == null) {
      addReserved(item, bytes);
      removeGrant(granted);
    }
    return bound;
  }

  /** Returns the bytes of a pool that were granted and are not used yet. */
  private long grantedIn(MemoryPool pool) {
    return grantedItem != null && pool.equals(gateway.poolFor(grantedItem)) ? grantedBytes : 0;
  }

  /**
   * Reserves bytes in the pool.
   *
   * @param granted how many of them are reserved already
   */
  private @Nullable MemoryLimitScope takeFromPool(
      Category item, long bytes, long granted, PoolShare share) {
    long more = bytes - granted;
    if (more > share.pool().limitBytes()) {
      return MemoryLimitScope
          .POOL; // tryReserve() could succeed: the limit may have been raised since
    }
    long unused = grantedIn(share.pool()) - granted;
    long leaving = share.requiredFreeBytes(usedInPool(item) + bytes + unused);
    enterTenant();
    long ofTenant = tenantMemory == null ? 0 : usedInPool(tenantMemory, item) + more;
    long leavingByTenant = share.requiredFreeBytes(ofTenant);
    if (more > 0 && !share.pool().tryReserve(more, Math.max(leaving, leavingByTenant))) {
      leaveTenantIfEmpty();
      long left = share.pool().limitBytes() - share.pool().usedBytes() - more;
      if (left < 0) {
        return MemoryLimitScope.POOL;
      }
      return leavingByTenant > leaving ? MemoryLimitScope.TENANT : MemoryLimitScope.POOL_SHARE;
    }
    return null;
  }

  /** Reserves bytes for the request's next reservations; returns the exceeded limit, or null. */
  synchronized @Nullable MemoryLimitScope grant(Category item, long bytes) {
    PoolShare share = PoolShare.of(limits.policy(), gateway.poolFor(item));
    MemoryLimitScope bound = takeFromPool(item, bytes, 0, share);
    if (bound == null) {
      grantedItem = item;
      grantedBytes = bytes;
      if (tenantMemory != null) {
        tenantMemory.addUsage(item, bytes);
        leaveTenantIfEmpty();
      }
    }
    return bound;
  }

  /** Removes bytes from the grant, because they are used or released. */
  private void removeGrant(long bytes) {
    grantedBytes -= bytes;
    if (tenantMemory != null && grantedItem != null) {
      tenantMemory.addUsage(grantedItem, -bytes);
      leaveTenantIfEmpty();
    }
  }

  /** Releases the granted bytes that are not used. */
  void releaseGrant() {
    Category item;
    long unused;
    synchronized (this) {
      item = grantedItem;
      unused = grantedBytes;
      removeGrant(unused);
      grantedItem = null;
    }
    if (item != null && unused > 0) {
      gateway.poolFor(item).release(unused);
    }
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
    if (total == 0 && grantedBytes == 0 && tenantMemory != null && tenant != null) {
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
