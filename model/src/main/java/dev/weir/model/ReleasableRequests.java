package dev.weir.model;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The requests under way on one cluster, so that those that a cut-over left behind can be released
 * when no node of the cluster answers any more. Safe on any thread.
 */
public final class ReleasableRequests {
  private final Set<Entry> entries = ConcurrentHashMap.newKeySet();
  private final AtomicLong lastNumber = new AtomicLong();
  private volatile Set<String> leftPolicies = Set.of();
  private volatile Runnable onLeftRequest = () -> {};
  private volatile boolean unresponsive;

  /** A request under way. */
  private record Entry(long number, String policy, Executor scope, Runnable release) {}

  /**
   * Adds a request.
   *
   * @param policy the name of the request's policy
   * @param scope runs {@code release} on the request's event loop
   * @param release ends the request with an error; it may come after the request's end
   * @return removes the request; any number of calls is fine
   */
  public Runnable add(String policy, Executor scope, Runnable release) {
    Entry entry = new Entry(lastNumber.incrementAndGet(), policy, scope, release);
    entries.add(entry);
    if (leftPolicies.contains(policy)) {
      onLeftRequest.run();
    }
    return () -> entries.remove(entry);
  }

  /** Sets what runs whenever a policy that has left the cluster still sends a request there. */
  public void setLeftRequestListener(Runnable listener) {
    onLeftRequest = listener;
  }

  /** Sets the policies whose weights sent requests here once, and do so no longer. */
  public void setLeftPolicies(Set<String> policies) {
    leftPolicies = Set.copyOf(policies);
  }

  /** The policies whose weights sent requests here once, and do so no longer. */
  public Set<String> leftPolicies() {
    return leftPolicies;
  }

  /** Whether a request of a policy that has left the cluster is under way. */
  public boolean hasLeftRequests() {
    Set<String> left = leftPolicies;
    return !left.isEmpty() && entries.stream().anyMatch(entry -> left.contains(entry.policy()));
  }

  /** The number of the request that was added last. */
  public long lastNumber() {
    return lastNumber.get();
  }

  /**
   * Releases the requests of policies that have left the cluster.
   *
   * @param upTo the number of the last request that is old enough
   * @return how many
   */
  public int release(long upTo) {
    Set<String> left = leftPolicies;
    int released = 0;
    for (Entry entry : List.copyOf(entries)) {
      if (entry.number() <= upTo && left.contains(entry.policy()) && entries.remove(entry)) {
        entry.scope().execute(entry.release());
        released++;
      }
    }
    return released;
  }

  /** Says whether the cluster was left and no node of it answers. */
  public void setUnresponsive(boolean now) {
    unresponsive = now;
  }

  /** Whether the cluster was left and no node of it answers. */
  public boolean isUnresponsive() {
    return unresponsive;
  }
}
