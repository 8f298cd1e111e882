package dev.weir.gateway;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.bluegreen.shadow.ShadowService;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.stats.InFlightWork;

/**
 * Reads how much work is in flight. Safe on any thread.
 *
 * @param bodies the memory of request bodies
 * @param requestMemory the memory of requests
 */
record InFlightWorkReader(
    ClusterRuntimes clusters,
    SharedServices sharedServices,
    MemoryPool bodies,
    GatewayMemory requestMemory) {

  /** Returns the work in flight now. */
  InFlightWork read() {
    int actions = 0;
    int calls = 0;
    int queued = 0;
    long writeBytes = 0;
    long frames = 0;
    for (ClusterRuntime cluster : clusters.all()) {
      ClusterConnection connection = cluster.connection();
      AdmissionQueues<?> queues = connection.admission().gate().queues();
      actions += cluster.runningActions();
      calls += connection.selection().loadTracker().outstanding();
      queued += queues.waiting() + queues.occupiedSlots();
      writeBytes += queues.pendingWriteBytes();
      frames += connection.nodes().transportClients().stats().heldFrames();
    }
    ShadowService shadow = sharedServices.features().shadowReads().service();
    return new InFlightWork(
        sharedServices.resources().limits().concurrency().inFlight(),
        actions,
        calls,
        queued,
        writeBytes,
        bodies.usedBytes(),
        frames,
        requestMemory.usedBytes(),
        shadow.inFlight() + shadow.pendingComparisons(),
        shadow.heldBytes());
  }
}
