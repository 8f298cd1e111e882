package dev.weir.operate;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The REST API of a cluster, reached through gateways. Every call may be repeated: calls without a
 * response, and those that a cluster without a manager rejects, are sent again for some minutes.
 * Safe on any thread.
 *
 * @param targets the client ports of gateways; the first that answers is used
 * @param patience how long a call is repeated
 */
public record ClusterApi(List<RestTarget> targets, Duration patience) {
  private static final Set<Integer> TRANSIENT = Set.of(408, 429, 502, 503, 504);
  private static final int NOT_FOUND = 404;
  private static final int REQUEST_TIMEOUT = 408;
  private static final long PAUSE_MILLIS = 250;

  public ClusterApi {
    targets = List.copyOf(targets);
  }

  JsonTree get(String path) throws OperationException, InterruptedException {
    return JsonTree.parse(call("GET", path, null, Set.of()).body());
  }

  /** Like {@link #get}; an empty object if there is nothing. */
  JsonTree find(String path) throws OperationException, InterruptedException {
    RestTarget.Response response = call("GET", path, null, Set.of(NOT_FOUND));
    return response.status() == NOT_FOUND
        ? new JsonTree(Map.of())
        : JsonTree.parse(response.body());
  }

  /** The health of the cluster, at once. */
  JsonTree health() throws OperationException, InterruptedException {
    return JsonTree.parse(
        call("GET", "/_cluster/health?timeout=1s", null, Set.of(REQUEST_TIMEOUT)).body());
  }

  void send(String method, String path) throws OperationException, InterruptedException {
    call(method, path, null, Set.of(NOT_FOUND));
  }

  /**
   * Changes settings of the cluster.
   *
   * @param values by {@code persistent.KEY} or {@code transient.KEY}; empty text removes one
   */
  void changeSettings(Map<String, String> values) throws OperationException, InterruptedException {
    if (!values.isEmpty()) {
      call("PUT", "/_cluster/settings", ClusterSettings.body(values), Set.of());
    }
  }

  /** The settings of the cluster, by {@code persistent.KEY} or {@code transient.KEY}. */
  Map<String, String> settings() throws OperationException, InterruptedException {
    JsonTree body = get("/_cluster/settings?flat_settings=true");
    Map<String, String> settings = new TreeMap<>();
    for (String scope : ClusterSettings.SCOPES) {
      body.child(scope)
          .members()
          .forEach((key, value) -> settings.put(scope + "." + key, value.toString()));
    }
    return settings;
  }

  private RestTarget.Response call(
      String method, String path, @Nullable String json, Set<Integer> accepted)
      throws OperationException, InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    for (int attempt = 0; ; attempt++) {
      RestTarget target = targets.get(attempt % targets.size());
      String problem;
      Exception cause = null;
      try {
        RestTarget.Response response = target.send(method, path, json);
        if (response.isSuccess() || accepted.contains(response.status())) {
          return response;
        }
        problem = "got status " + response.status() + ": " + response.body();
        if (!TRANSIENT.contains(response.status())) {
          throw new OperationException(method + " " + path + " " + problem);
        }
      } catch (IOException e) {
        problem = "got no answer from " + target.base() + " (" + e + ")";
        cause = e;
      }
      if (System.nanoTime() - end > 0) {
        String message = method + " " + path + " " + problem;
        throw cause == null
            ? new OperationException(message)
            : new OperationException(message, cause);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
