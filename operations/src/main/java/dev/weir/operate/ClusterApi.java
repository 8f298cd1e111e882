package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.OversizedResponseException;
import dev.weir.client.RestTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The REST API of a cluster, reached through gateways. Every call may be repeated: calls without a
 * response, and those that a cluster without a manager rejects, are sent again for some minutes.
 * Safe on any thread.
 *
 * @param targets the client ports of gateways; the first that answers is used
 * @param timeout how long a call is repeated
 */
public record ClusterApi(List<RestTarget> targets, Duration timeout) {
  private static final Set<Integer> TRANSIENT = Set.of(408, 429, 502, 503, 504);
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  /**
   * What nodes answer that do not know the parameter of a dry run, or the path; 500 where the REST
   * handler of a call can't write the answer of a dry run, such as that of the nodes' statistics.
   */
  private static final Set<Integer> NOT_CHECKED = Set.of(400, NOT_FOUND, 405, 500);

  private static final int REQUEST_TIMEOUT = 408;
  private static final long PAUSE_MILLIS = 250;

  public ClusterApi {
    targets = List.copyOf(targets);
  }

  JsonTree get(String path) throws OperationException, InterruptedException {
    return JsonObjects.parse(call("GET", path, null, Set.of()).body());
  }

  /** Like {@link #get}; an empty object if there is nothing. */
  JsonTree find(String path) throws OperationException, InterruptedException {
    RestTarget.Response response = call("GET", path, null, Set.of(NOT_FOUND));
    return response.status() == NOT_FOUND
        ? new JsonTree(Map.of())
        : JsonObjects.parse(response.body());
  }

  /** The health of the cluster, at once. */
  JsonTree health() throws OperationException, InterruptedException {
    return JsonObjects.parse(
        call("GET", "/_cluster/health?timeout=1s", null, Set.of(REQUEST_TIMEOUT)).body());
  }

  void send(String method, String path) throws OperationException, InterruptedException {
    call(method, path, null, Set.of(NOT_FOUND));
  }

  void send(String method, String path, String json)
      throws OperationException, InterruptedException {
    call(method, path, json, Set.of());
  }

  /** Has a node say whether the user may send a request; null if it does not tell. */
  RestTarget.@Nullable Response rehearse(PermissionRequest request)
      throws OperationException, InterruptedException {
    RestTarget.Response response =
        call(request.method(), request.dryRunPath(), request.json(), NOT_CHECKED);
    return response.isSuccess() ? response : null;
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

  private static OperationException rejection(String call, RestTarget.Response response) {
    return new OperationException(
        switch (response.status()) {
          case UNAUTHORIZED ->
              call
                  + " got status 401: the cluster does not accept the credentials. Give those of a"
                  + " user by --header 'Authorization: ...' or --header @FILE";
          case FORBIDDEN ->
              call
                  + " got status 403: "
                  + reason(response.body())
                  + ". The user of --header needs the permissions "
                  + OperationPermissions.ALL;
          default -> call + " got status " + response.status() + ": " + response.body();
        });
  }

  private static String reason(String body) {
    try {
      String reason = JsonObjects.parse(body).text("error", "reason");
      return reason.isEmpty() ? body : reason;
    } catch (OperationException e) {
      return body;
    }
  }

  /** A certificate does not become valid by a repetition. */
  static OperationException untrusted(RestTarget target, SSLException cause) {
    return new OperationException(
        "no TLS connection to "
            + target.base()
            + " ("
            + cause.getMessage()
            + "): give the authorities of the gateways' certificates by --ca-file, and a host name"
            + " that the certificate has",
        cause);
  }

  private RestTarget.Response call(
      String method, String path, @Nullable String json, Set<Integer> accepted)
      throws OperationException, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    for (int attempt = 0; ; attempt++) {
      RestTarget target = targets.get(attempt % targets.size());
      String problem;
      Exception cause = null;
      try {
        RestTarget.Response response = target.send(method, path, json);
        if (response.isSuccess() || accepted.contains(response.status())) {
          return response;
        }
        problem = response.problem();
        if (!TRANSIENT.contains(response.status())) {
          throw rejection(method + " " + path, response);
        }
      } catch (OversizedResponseException e) {
        throw new OperationException(method + " " + path + " " + e.getMessage(), e);
      } catch (SSLException e) {
        throw untrusted(target, e);
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
