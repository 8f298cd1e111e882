package dev.weir.admission.memory;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory.Bound;
import dev.weir.admission.memory.GatewayMemory.Holding;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.Shown;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory that one request holds, as a part of what all hold ({@link GatewayMemory}): refuses
 * what would be too much for one request, for its tenant, or for all. Whoever took bytes gives them
 * back, also when the request has ended meanwhile. Safe on any thread; its lock is held for
 * arithmetic alone.
 */
public final class RequestLedger implements RequestMemory {
  /** From this size in bytes on a request is among those that are shown. */
  static final long LARGE = 1 << 20;

  /** Holding less than this part of a pool is free of the bounds beside others. */
  static final int SMALL_PART = 32;

  private static final Item[] ITEMS = Item.values();

  private final GatewayMemory gateway;
  private final String method;
  private final String uri;
  private final @Nullable String tenant;
  private final String opaqueId;
  private final RequestLimits limits;
  private volatile long number;
  private @Nullable TenantMemory tenants;
  private boolean large;
  private long total;
  private long peak;
  private long body;
  private long parsed;
  private long answers;
  private long decoded;
  private long reduction;
  private long output;

  RequestLedger(
      GatewayMemory gateway,
      String method,
      String uri,
      @Nullable String tenant,
      String opaqueId,
      RequestLimits limits) {
    this.limits = limits;
    this.gateway = gateway;
    this.method = method;
    this.uri = uri;
    this.tenant = tenant;
    this.opaqueId = opaqueId;
  }

  @Override
  public void numbered(long known) {
    number = known;
  }

  /** The gateway's number for the request; 0 while it has none. */
  public long number() {
    return number;
  }

  /** The client's name for the request; empty for none. */
  public String opaqueId() {
    return opaqueId;
  }

  /** Whose request it is; null for nobody's in particular. */
  public @Nullable String tenant() {
    return tenant;
  }

  @Override
  public long turnedAway(MemoryRefusal why) {
    gateway.tell(this, why);
    return number;
  }

  @Override
  public @Nullable MemoryRefusal take(Item item, long bytes, Supplier<List<String>> growth) {
    Refused refused = takeOrTell(item, bytes, growth);
    if (refused == null) {
      return null;
    }
    if (refused.bound != Bound.REQUEST) {
      gateway.pool(item).refuse();
    }
    gateway.refuse(this, refused.bound, refused.why);
    return refused.why;
  }

  @Override
  public @Nullable MemoryRefusal tryTake(Item item, long bytes) {
    Refused refused = takeOrTell(item, bytes, List::of);
    return refused == null ? null : refused.why;
  }

  /** What refuses bytes, and how people are told. */
  private record Refused(Bound bound, MemoryRefusal why) {}

  private @Nullable Refused takeOrTell(Item item, long bytes, Supplier<List<String>> growth) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    RequestMemoryPolicy policy = limits.policy();
    MemoryLedger pool = gateway.pool(item);
    Bound bound;
    synchronized (this) {
      bound = take(item, bytes, policy, pool);
    }
    if (bound == null) {
      gateway.changed(item, bytes);
      return null;
    }
    boolean own = bound == Bound.REQUEST;
    long now = own ? held() : pool.held();
    return new Refused(
        bound,
        new MemoryRefusal(
            item,
            bytes,
            bytes > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + bytes,
            own ? policy.maxBytes().bytes() : pool.limitBytes(),
            own ? bound.words() + " (" + limits.setBy() + ".max-bytes)" : bound.words(),
            own || wouldNotFitAlone(item, bytes, policy, pool),
            bill(),
            growth.get()));
  }

  private synchronized boolean wouldNotFitAlone(
      Item item, long bytes, RequestMemoryPolicy policy, MemoryLedger pool) {
    double most = pool.limitBytes() * (policy.enabled() ? policy.share() : 1);
    return bytes > most - ofPool(item);
  }

  /** Takes bytes and returns null, or returns what refuses that. */
  private @Nullable Bound take(
      Item item, long bytes, RequestMemoryPolicy policy, MemoryLedger pool) {
    if (policy.enabled() && bytes > policy.maxBytes().bytes() - total) {
      return Bound.REQUEST;
    }
    if (bytes > pool.limitBytes()) {
      return Bound.POOL; // without asking it: its limit may have been raised since
    }
    double free = policy.enabled() ? (1 - policy.share()) / policy.share() : 0;
    long mine = ofPool(item) + bytes;
    long leaving = leaving(mine, pool, free);
    enter();
    long ofTenant = tenants == null ? 0 : ofPool(tenants, item) + bytes;
    long leavingByTenant = leaving(ofTenant, pool, free);
    if (!pool.tryTake(bytes, Math.max(leaving, leavingByTenant))) {
      leaveIfEmpty();
      long left = pool.limitBytes() - pool.held() - bytes;
      if (left < 0) {
        return Bound.POOL;
      }
      return leavingByTenant > leaving ? Bound.TENANT : Bound.SHARE;
    }
    took(item, bytes);
    return null;
  }

  @Override
  public void takeAnyway(Item item, long bytes) {
    synchronized (this) {
      enter();
      gateway.pool(item).takeAnyway(bytes);
      took(item, bytes);
    }
    gateway.changed(item, bytes);
  }

  private void enter() {
    if (tenants == null && tenant != null && total == 0) {
      tenants = gateway.enter(tenant);
    }
  }

  private void took(Item item, long bytes) {
    add(item, bytes);
    if (tenants != null) {
      tenants.changed(item, bytes);
      leaveIfEmpty(); // nothing was taken
    }
    if (total > peak) {
      peak = total;
    }
    if (!large && total >= LARGE) {
      large = true;
      gateway.large(this, true);
    }
  }

  /** What must be left in a pool when so much of it is held by one. */
  private static long leaving(long held, MemoryLedger pool, double free) {
    return held <= pool.limitBytes() / SMALL_PART ? 0 : (long) (held * free);
  }

  @Override
  public void giveBack(Item item, long bytes) {
    synchronized (this) {
      if (bytes < 0 || bytes > of(item)) {
        throw new IllegalArgumentException(
            "got " + bytes + " bytes of " + item + " back (expected: 0 to " + of(item) + ")");
      }
      add(item, -bytes);
      if (tenants != null) {
        tenants.changed(item, -bytes);
        leaveIfEmpty();
      }
      if (large && total < LARGE) {
        large = false;
        gateway.large(this, false);
      }
    }
    gateway.pool(item).giveBack(bytes);
    gateway.changed(item, -bytes);
  }

  private void leaveIfEmpty() {
    if (total == 0 && tenants != null && tenant != null) {
      tenants = null;
      gateway.leave(tenant);
    }
  }

  private void add(Item item, long bytes) {
    total += bytes;
    switch (item) {
      case BODY -> body += bytes;
      case PARSED -> parsed += bytes;
      case ANSWERS -> answers += bytes;
      case DECODED -> decoded += bytes;
      case REDUCTION -> reduction += bytes;
      case OUTPUT -> output += bytes;
    }
  }

  private long of(Item item) {
    return switch (item) {
      case BODY -> body;
      case PARSED -> parsed;
      case ANSWERS -> answers;
      case DECODED -> decoded;
      case REDUCTION -> reduction;
      case OUTPUT -> output;
    };
  }

  private long ofPool(Item item) {
    return switch (item) {
      case BODY -> body;
      case PARSED, ANSWERS, OUTPUT -> parsed + answers + output;
      case DECODED, REDUCTION -> decoded + reduction;
    };
  }

  private static long ofPool(TenantMemory of, Item item) {
    return switch (item) {
      case BODY -> of.held(Item.BODY);
      case PARSED, ANSWERS, OUTPUT ->
          of.held(Item.PARSED) + of.held(Item.ANSWERS) + of.held(Item.OUTPUT);
      case DECODED, REDUCTION -> of.held(Item.DECODED) + of.held(Item.REDUCTION);
    };
  }

  /** Bytes held for something. */
  public synchronized long held(Item item) {
    return of(item);
  }

  /** Bytes held. */
  public synchronized long held() {
    return total;
  }

  /** The most bytes that were ever held. */
  public synchronized long peak() {
    return peak;
  }

  /** By item, the largest first. */
  List<String> bill() {
    long[] amounts = new long[ITEMS.length];
    synchronized (this) {
      for (Item item : ITEMS) {
        amounts[item.ordinal()] = of(item);
      }
    }
    List<Item> order = new ArrayList<>(Arrays.asList(ITEMS));
    order.removeIf(item -> amounts[item.ordinal()] == 0);
    order.sort(Comparator.comparingLong((Item item) -> amounts[item.ordinal()]).reversed());
    return order.stream()
        .map(item -> item.words() + " " + Shown.bytes(amounts[item.ordinal()]))
        .toList();
  }

  Holding holding() {
    return new Holding(request(), held(), peak(), bill());
  }

  /** Its method, path and query, not longer than a line. */
  public String request() {
    return Shown.request(method, uri);
  }
}
