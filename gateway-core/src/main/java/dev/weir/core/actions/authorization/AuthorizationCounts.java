package dev.weir.core.actions.authorization;

import java.util.concurrent.atomic.LongAdder;

/** Counts what authorization in the gateway costs, and what it achieves. Safe on any thread. */
public final class AuthorizationCounts {
  private final LongAdder checks = new LongAdder();
  private final LongAdder hits = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder authorized = new LongAdder();
  private final LongAdder unnamedCalls = new LongAdder();

  void recordCheck() {
    checks.increment();
  }

  void recordHit() {
    hits.increment();
  }

  void recordFailure() {
    failures.increment();
  }

  void recordAuthorized() {
    authorized.increment();
  }

  void recordUnnamedCall() {
    unnamedCalls.increment();
  }

  /** Questions asked of nodes: who a client is, what it may do, the security configuration. */
  public long checks() {
    return checks.sum();
  }

  /** Questions answered from the cache. */
  public long hits() {
    return hits.sum();
  }

  /** Questions without a usable answer. */
  public long failures() {
    return failures.sum();
  }

  /** Requests that the gateway coordinated for a user. */
  public long authorized() {
    return authorized.sum();
  }

  /** Calls that were not sent because they named no user: a defect. */
  public long unnamedCalls() {
    return unnamedCalls.sum();
  }
}
