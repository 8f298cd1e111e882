package dev.weir.bench.responses;

import com.sun.management.ThreadMXBean;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.Workload;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** A client that reads each response into maps and lists, as a client's library does. */
final class ReadingClient {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private ReadingClient() {}

  /**
   * What reading responses cost the client.
   *
   * @param responses that it read
   * @param cpuNanos CPU time of its thread
   * @param allocatedBytes of its thread
   */
  record Cost(long responses, long cpuNanos, long allocatedBytes) {
    /** No responses. */
    static final Cost NONE = new Cost(0, 0, 0);

    Cost plus(Cost other) {
      return new Cost(
          responses + other.responses,
          cpuNanos + other.cpuNanos,
          allocatedBytes + other.allocatedBytes);
    }

    /** Returns the CPU milliseconds of a response. */
    double cpuMillis() {
      return cpuNanos / 1e6 / responses;
    }

    /** Returns the kilobytes of heap that a response takes. */
    double allocatedKilobytes() {
      return allocatedBytes / 1024.0 / responses;
    }
  }

  /**
   * Sends requests one after the other on this thread. Blocks.
   *
   * @param hits that each response must have
   */
  static Cost read(InetSocketAddress address, Workload workload, int responses, int hits)
      throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(address)) {
      long cpu = THREADS.getCurrentThreadCpuTime();
      long bytes = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < responses; i++) {
        int status = connection.exchange(workload.request().apply(i));
        int found = status < 300 ? hits(connection.body()) : -1;
        if (found != hits) {
          throw new IllegalStateException(
              "got status %d and %d hits (expected: %d hits)".formatted(status, found, hits));
        }
      }
      return new Cost(
          responses,
          THREADS.getCurrentThreadCpuTime() - cpu,
          THREADS.getCurrentThreadAllocatedBytes() - bytes);
    }
  }

  /** Returns the number of hits in a response; -1 if it has none of its own. */
  static int hits(String body) {
    Map<String, Object> response =
        XContentHelper.convertToMap(JsonXContent.jsonXContent, body, false);
    return response.get("hits") instanceof Map<?, ?> hits
            && hits.get("hits") instanceof List<?> list
        ? list.size()
        : -1;
  }
}
