package dev.weir.core.coordinate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a round that wait on their nodes until others of their message are done, in the
 * order in which the nodes begin them. Confined to the request's event loop.
 */
final class QueuedAttempts<R> {
  private final Map<String, Set<ShardAttempt<R>>> byNode = new HashMap<>();

  void add(ShardAttempt<R> attempt) {
    byNode.computeIfAbsent(attempt.nodeId(), any -> new LinkedHashSet<>()).add(attempt);
  }

  /** Returns the number of attempts that wait on a node. */
  int count(String nodeId) {
    Set<ShardAttempt<R>> waiting = byNode.get(nodeId);
    return waiting == null ? 0 : waiting.size();
  }

  /** Returns the nodes on which attempts wait. */
  List<String> nodeIds() {
    return new ArrayList<>(byNode.keySet());
  }

  boolean contains(ShardAttempt<R> attempt) {
    return byNode.getOrDefault(attempt.nodeId(), Set.of()).contains(attempt);
  }

  /** Removes an attempt; returns whether it waited. */
  boolean remove(ShardAttempt<R> attempt) {
    Set<ShardAttempt<R>> waiting = byNode.get(attempt.nodeId());
    if (waiting == null || !waiting.remove(attempt)) {
      return false;
    }
    if (waiting.isEmpty()) {
      byNode.remove(attempt.nodeId());
    }
    return true;
  }

  /** Removes the attempt that a node begins next; null if none waits. */
  @Nullable ShardAttempt<R> poll(String nodeId) {
    Set<ShardAttempt<R>> waiting = byNode.get(nodeId);
    if (waiting == null) {
      return null;
    }
    ShardAttempt<R> next = waiting.iterator().next();
    remove(next);
    return next;
  }

  /** Removes those attempts that wait on a node and that a test accepts. */
  List<ShardAttempt<R>> removeIf(String nodeId, Predicate<ShardAttempt<R>> test) {
    List<ShardAttempt<R>> removed =
        byNode.getOrDefault(nodeId, Set.of()).stream().filter(test).toList();
    removed.forEach(this::remove);
    return removed;
  }
}
