package dev.weir.node.results;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.tasks.TaskResourceTrackingService;

/**
 * The headers that a response gets from the responses whose results it has. Not safe for use by
 * several threads at once.
 */
public final class ResponseHeaders {
  private final Map<String, Set<String>> headers = new LinkedHashMap<>();

  /** Starts without headers. */
  public ResponseHeaders() {}

  /**
   * Adds the headers of one response, each value once. The resources that its task has used are
   * left out: they are those of one request.
   */
  public void add(Map<String, List<String>> responded) {
    responded.forEach((name, values) -> {
      if (!name.equals(TaskResourceTrackingService.TASK_RESOURCE_USAGE)) {
        headers.computeIfAbsent(name, any -> new LinkedHashSet<>()).addAll(values);
      }
    });
  }

  /** Adds the headers to the response that is sent in a context. */
  public void addTo(ThreadContext context) {
    headers.forEach(
        (name, values) -> values.forEach(value -> context.addResponseHeader(name, value)));
  }
}
