package dev.weir.gateway;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.CostEstimator;
import dev.weir.config.policy.Treatment;
import dev.weir.core.actions.explain.RecentRefusals;
import dev.weir.core.actions.sample.Sampling;
import dev.weir.core.actions.trim.Trimming;
import dev.weir.responses.export.ExportCounts;
import dev.weir.observe.SearchMetrics;
import dev.weir.model.PolicySections;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What all clusters behind the gateway have in common.
 *
 * @param policies what requests' policies consist of
 * @param loops serve clients and nodes
 * @param admission bounds the requests in flight
 * @param bulkheads bound those of their policies
 * @param replies bounds the memory of nodes' answers
 * @param transport bounds what else channels to nodes take
 * @param refusals numbers requests, and keeps why some were refused
 * @param deadlines says until when answers are waited for
 * @param costs learns what nodes' answers take as objects
 * @param trimming says what is left out of answers
 * @param sampling says what is answered by estimates
 * @param exported counts exports
 * @param searches times the parts of searches
 * @param reductions where big reductions run
 * @param duals has writes repeated on other clusters
 * @param noticesLosses whether requests are told when nodes are gone: another cluster may answer
 */
record Commons(
    PolicySections<Treatment> policies,
    EventLoops loops,
    AdmissionController admission,
    Bulkheads bulkheads,
    MemoryLedger replies,
    TransportMemory transport,
    RecentRefusals refusals,
    DeadlineDesk deadlines,
    CostEstimator costs,
    Trimming trimming,
    Sampling sampling,
    ExportCounts exported,
    SearchMetrics searches,
    ThreadPoolExecutor reductions,
    DualDesk duals,
    boolean noticesLosses) {

  /** Whether half of the requests are under way that may be. */
  boolean busy() {
    return admission.inFlight() > admission.most() / 2;
  }

  LoopDelays delays() {
    return new LoopDelays(loops.group());
  }
}
