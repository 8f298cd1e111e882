package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.RestTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds permissions that an operation needs and its user lacks, on a cluster with the security
 * plugin. Nodes answer dry runs of its calls ({@code perform_permission_check}, OpenSearch 3.2 or
 * newer), and carry nothing of them out. On an older cluster a call that is forbidden fails by
 * itself, with the permission's name.
 *
 * @param cluster is asked
 */
record OperationPermissions(ClusterApi cluster) {
  /** All that operations need, for messages. */
  static final String ALL =
      "cluster:monitor/*, cluster:admin/settings/update, cluster:admin/voting_config/*,"
          + " cluster:admin/routing/awareness/weights/* and indices:admin/flush on all indices";

  private static final int EXAMPLES = 20;

  /** Removes a journal that is not there, if it was carried out. */
  private static final PermissionRequest CHANGE_SETTINGS =
      new PermissionRequest(
          "PUT",
          "/_cluster/settings",
          ClusterSettings.body(
              Map.of(ClusterSettings.PERSISTENT + "." + JournalFormat.SETTING, "")));

  /** The reasons not to begin, one at most. */
  List<String> refusals(OperationRequest request, ClusterLayout layout)
      throws OperationException, InterruptedException {
    Set<String> missing = new TreeSet<>();
    if (!ask(CHANGE_SETTINGS, missing)) {
      return List.of(); // no node checks users, or all of them are too old to tell
    }
    for (PermissionRequest call : calls(request, layout)) {
      ask(call, missing);
    }
    return missing.isEmpty()
        ? List.of()
        : List.of(
            "the user of --header lacks the permissions "
                + String.join(", ", missing)
                + ": give them to one of its roles");
  }

  private List<PermissionRequest> calls(OperationRequest request, ClusterLayout layout)
      throws OperationException, InterruptedException {
    List<PermissionRequest> calls = new ArrayList<>();
    OperationKind kind = request.kind();
    if (kind.restarts() || kind == OperationKind.MOVE_MANAGER) {
      String exclusions = "/_cluster/voting_config_exclusions";
      calls.add(new PermissionRequest("POST", exclusions + "?node_names=weir-none", null));
      calls.add(new PermissionRequest("DELETE", exclusions + "?wait_for_removal=false", null));
    }
    if (kind.restarts()) {
      String some = names(layout.indicesOn(layout.dataNodes()));
      if (!some.isEmpty()) {
        calls.add(new PermissionRequest("POST", "/" + some + "/_flush", null));
      }
    }
    if (kind != OperationKind.MOVE_MANAGER && request.options().usesZoneWeights()) {
      ZoneWeights zones = new ZoneWeights(cluster);
      String attribute = zones.attribute();
      if (!attribute.isEmpty()) {
        zones.permissions(attribute).forEach(calls::add);
      }
    }
    return calls;
  }

  /** Indices of plugins may be forbidden to everybody: then they are not flushed. */
  private static String names(Collection<String> indices) {
    return indices.stream()
        .filter(index -> !index.startsWith("."))
        .limit(EXAMPLES)
        .map(GatewayAdmin::encode)
        .collect(Collectors.joining(","));
  }

  /**
   * Asks for one call.
   *
   * @param missing gets the permissions that are missing
   * @return whether a node has told
   */
  private boolean ask(PermissionRequest call, Set<String> missing)
      throws OperationException, InterruptedException {
    RestTarget.Response response = cluster.checkPermission(call);
    if (response == null) {
      return false;
    }
    JsonTree body = JsonObjects.parse(response.body());
    if (!body.members().containsKey("accessAllowed")) {
      return false;
    }
    if (!body.text("accessAllowed").equals("true")) {
      List<String> named = body.texts("missingPrivileges");
      missing.addAll(named.isEmpty() ? List.of(call.method() + " " + call.path()) : named);
    }
    return true;
  }
}
