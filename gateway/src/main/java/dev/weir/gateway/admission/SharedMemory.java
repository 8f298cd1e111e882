package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.HeapBytesEstimator;
import dev.weir.protocol.TransportMemory;

/**
 * The memory of responses from nodes. Safe on any thread.
 *
 * @param responses bounds the received responses
 * @param transport bounds the other memory of channels to nodes
 * @param estimator estimates the heap bytes of a parsed response
 */
public record SharedMemory(
    MemoryPool responses, TransportMemory transport, HeapBytesEstimator estimator) {
  /** Whether responses take more than half of their limit: background work pauses then. */
  public boolean isBusy() {
    return responses.usedBytes() > responses.limitBytes() / 2;
  }
}
