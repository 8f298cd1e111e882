package dev.weir.gateway.cluster;

import dev.weir.config.policy.PolicySettings;
import dev.weir.gateway.admission.RequestLimits;
import dev.weir.gateway.admission.SharedMemory;
import dev.weir.gateway.network.EventLoopScheduler;
import dev.weir.gateway.network.TlsContextFactory;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.protocol.EventLoops;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * The threads, limits, memory and certificates that all clusters share. Safe on any thread.
 *
 * @param policySections where each part registers its section of a request's policy
 * @param eventLoops serve clients and nodes
 * @param tlsContexts loads certificates
 */
public record SharedResources(
    PolicySectionRegistry<PolicySettings> policySections,
    EventLoops eventLoops,
    RequestLimits limits,
    SharedMemory memory,
    TlsContextFactory tlsContexts) {

  /** Safe on any thread: each call uses the generator of the calling thread. */
  static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

  /** Runs actions later, on event loops. */
  public EventLoopScheduler scheduler() {
    return new EventLoopScheduler(eventLoops.group());
  }
}
