package dev.weir.http.connection;

import dev.weir.http.body.BodyBudget;

/** One client's share of a budget. Safe on any thread; never blocks. */
record ClientShareBudget(BodyBudget all, NetworkUsage usage, ClientNetwork client, long limit)
    implements BodyBudget {

  @Override
  public boolean tryCharge(long bytes) {
    if (!usage.tryAdd(client, bytes, limit)) {
      return false;
    }
    if (!all.tryCharge(bytes)) {
      usage.subtract(client, bytes);
      return false;
    }
    return true;
  }

  @Override
  public void release(long bytes) {
    usage.subtract(client, bytes);
    all.release(bytes);
  }

  @Override
  public long used() {
    return usage.of(client);
  }
}
