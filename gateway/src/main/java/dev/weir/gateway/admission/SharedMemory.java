package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.protocol.TransportMemory;

/**
 * The memory of nodes' responses. Safe on any thread.
 *
 * @param responses bounds the received responses
 * @param transport bounds what else channels to nodes hold
 * @param estimator estimates the heap bytes of a parsed response
 */
public record SharedMemory(
    MemoryPool responses, TransportMemory transport, HeapBytesEstimator estimator) {
  /** Whether over half of it is taken: then background work pauses. */
  public boolean isBusy() {
    return responses.usedBytes() > responses.limitBytes() / 2;
  }
}
