package dev.weir.bluegreen.dual;

import dev.weir.model.ReleasableRequests;
import dev.weir.rest.ActionExecutor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the dual writes of a cluster share. Safe on any thread. */
final class DualWriteServices {
  private final ActionExecutor documents;
  private final DualWriteCounts counts;
  private final DualWriteClocks clocks;
  private final ReleasableRequests sourceRequests;
  private final RepairLogAppender repairLogAppender;
  private final Map<String, TargetCircuitBreaker> circuitBreakers = new ConcurrentHashMap<>();

  DualWriteServices(
      ActionExecutor documents,
      DualWriteCounts counts,
      DualWriteClocks clocks,
      ReleasableRequests sourceRequests) {
    this.sourceRequests = sourceRequests;
    this.documents = documents;
    this.counts = counts;
    this.clocks = clocks;
    this.repairLogAppender = new RepairLogAppender(counts, clocks);
  }

  /** Reads the documents that the writes left on the first cluster. */
  ActionExecutor documents() {
    return documents;
  }

  /** The requests under way on the first cluster. */
  ReleasableRequests sourceRequests() {
    return sourceRequests;
  }

  DualWriteCounts counts() {
    return counts;
  }

  DualWriteClocks clocks() {
    return clocks;
  }

  RepairLogAppender repairLogAppender() {
    return repairLogAppender;
  }

  TargetCircuitBreaker circuitBreaker(String target) {
    return circuitBreakers.computeIfAbsent(
        target, name -> new TargetCircuitBreaker(name, clocks.nanoClock()));
  }
}
