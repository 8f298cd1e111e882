package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.MemoryPool;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.config.policy.PolicySettings;
import dev.weir.core.actions.explain.RecentRejections;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.observe.SearchMetrics;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import dev.weir.responses.export.ExportCounts;
import dev.weir.responses.sampling.SearchSampler;
import dev.weir.responses.trim.ResponseTrimmer;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * What all clusters behind the gateway have in common.
 *
 * @param policySections what requests' policies consist of
 * @param eventLoops serve clients and nodes
 * @param admissionController bounds the requests in flight
 * @param bulkheads bound those of their policies
 * @param responseMemory bounds the memory of nodes' answers
 * @param transportMemory bounds what else channels to nodes take
 * @param recentRefusals numbers requests, and keeps why some were refused
 * @param deadlines says until when answers are waited for
 * @param costEstimator learns what nodes' answers take as objects
 * @param trimming says what is left out of answers
 * @param sampling says what is answered by estimates
 * @param exportCounts counts exports
 * @param searchMetrics times the parts of searches
 * @param reductionPool where big reductions run
 * @param dualWrites has writes repeated on other clusters
 * @param detectsNodeLoss whether requests are told when nodes are gone: another cluster may answer
 */
record SharedServices(
    PolicySectionRegistry<PolicySettings> policySections,
    EventLoops eventLoops,
    ConcurrencyLimiter admissionController,
    PolicyBulkheads bulkheads,
    MemoryPool responseMemory,
    TransportMemory transportMemory,
    RecentRejections recentRefusals,
    DeadlineService deadlines,
    HeapBytesEstimator costEstimator,
    ResponseTrimmer trimming,
    SearchSampler sampling,
    ExportCounts exportCounts,
    SearchMetrics searchMetrics,
    ThreadPoolExecutor reductionPool,
    DualWriteService dualWrites,
    boolean detectsNodeLoss) {

  /** Whether half of the requests are under way that may be. */
  boolean isBusy() {
    return admissionController.inFlight() > admissionController.maxInFlight() / 2;
  }

  EventLoopScheduler scheduler() {
    return new EventLoopScheduler(eventLoops.group());
  }
}
