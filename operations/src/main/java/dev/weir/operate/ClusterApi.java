package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.RestTarget;
import dev.weir.client.settings.LayeredSettings;
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
 * @param timeout how long a call is repeated
 */
public record ClusterApi(List<RestTarget> targets, Duration timeout) {
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  /**
   * What nodes answer that do not know the parameter of a dry run, or the path; 500 where the REST
   * handler of a call can't write the answer of a dry run, such as that of the nodes' statistics.
   */
  private static final Set<Integer> NOT_CHECKED = Set.of(400, NOT_FOUND, 405, 500);

  private static final int REQUEST_TIMEOUT = 408;

  private static final String VOTING_EXCLUSIONS = "/_cluster/voting_config_exclusions";

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

  /** Whether all copies of all shards have started. */
  static boolean isGreen(JsonTree health) {
    return health.text("status").equals("green");
  }

  /** Whether all copies of all shards have started, and none moves. */
  static boolean isQuiet(JsonTree health) {
    return isGreen(health)
        && health.number("initializing_shards") == 0
        && health.number("relocating_shards") == 0;
  }

  /** Excludes nodes from voting, so that another one is elected. */
  void excludeFromVoting(List<String> nodes) throws OperationException, InterruptedException {
    send("POST", VOTING_EXCLUSIONS + "?timeout=30s&node_names=" + String.join(",", nodes));
  }

  /** Lets all nodes vote again. */
  void clearVotingExclusions() throws OperationException, InterruptedException {
    send("DELETE", VOTING_EXCLUSIONS + "?wait_for_removal=false");
  }

  /** Has a node say whether the user may send a request; null if it does not tell. */
  RestTarget.@Nullable Response checkPermission(PermissionRequest request)
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
    changeSettings(values, RepeatedCall.Precondition.NONE);
  }

  /** Changes settings as {@link #changeSettings(Map)} does, with a precondition of repetitions. */
  void changeSettings(Map<String, String> values, RepeatedCall.Precondition repetition)
      throws OperationException, InterruptedException {
    if (!values.isEmpty()) {
      call("PUT", "/_cluster/settings", ClusterSettings.body(values), Set.of(), repetition);
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

  /** The settings of the cluster with those of the nodes' files and the defaults. */
  LayeredSettings layeredSettings() throws OperationException, InterruptedException {
    return LayeredSettings.of(get("/_cluster/settings?flat_settings=true&include_defaults=true"));
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

  private RestTarget.Response call(
      String method, String path, @Nullable String json, Set<Integer> accepted)
      throws OperationException, InterruptedException {
    return call(method, path, json, accepted, RepeatedCall.Precondition.NONE);
  }

  private RestTarget.Response call(
      String method,
      String path,
      @Nullable String json,
      Set<Integer> accepted,
      RepeatedCall.Precondition repetition)
      throws OperationException, InterruptedException {
    RestTarget.Response response =
        new RepeatedCall(targets, timeout)
            .send(method, path, json, one -> accepted.contains(one.status()), repetition);
    if (response.isSuccess() || accepted.contains(response.status())) {
      return response;
    }
    throw rejection(method + " " + path, response);
  }
}
