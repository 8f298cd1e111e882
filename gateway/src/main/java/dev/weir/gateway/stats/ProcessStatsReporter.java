package dev.weir.gateway.stats;

import dev.weir.admission.MemoryPool;
import dev.weir.gateway.admission.SharedMemory;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import dev.weir.protocol.EventLoops;
import dev.weir.protocol.TransportMemory;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the memory and the event loops of the process: the section {@code memory} of {@code
 * /stats}, and its metrics.
 */
public record ProcessStatsReporter(SharedMemory memory, EventLoops loops) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Runtime jvm = Runtime.getRuntime();
    Map<String, Object> section = new LinkedHashMap<>();
    section.put("heap_used_bytes", jvm.totalMemory() - jvm.freeMemory());
    section.put("heap_max_bytes", jvm.maxMemory());
    return Map.of("memory", section);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    bindResponses(memory.responses(), metrics);
    bindTransport(memory.transport(), metrics);
    bindAllocator(metrics);
    EventLoopLagMonitor.bind(loops, metrics);
  }

  private static void bindResponses(MemoryPool responses, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_transport_held_limit_bytes",
            "Limit of the bytes of received frames in memory, all clusters together",
            responses::limitBytes)
        .counter(
            "weir_transport_frame_rejections",
            "Responses of nodes rejected because the limit of frame bytes was reached",
            responses::rejections);
  }

  private static void bindTransport(TransportMemory memory, MetricRegistry metrics) {
    metrics
        .gauge(
            "weir_transport_unsent_limit_bytes",
            "Limit of the bytes that wait for sockets, all clusters together",
            memory::maxUnsentBytes)
        .gauge(
            "weir_transport_pooled_bytes",
            "Bytes of heap arrays kept for large frames, all clusters together",
            memory::pooledBytes);
  }

  private void bindAllocator(MetricRegistry metrics) {
    if (loops.allocator() instanceof ByteBufAllocatorMetricProvider allocator) {
      metrics
          .gauge(
              "weir_netty_direct_bytes",
              "Bytes of direct memory reserved by Netty's allocator",
              () -> allocator.metric().usedDirectMemory())
          .gauge(
              "weir_netty_heap_bytes",
              "Bytes of heap memory reserved by Netty's allocator",
              () -> allocator.metric().usedHeapMemory());
    }
  }
}
