package dev.weir.it.yaml;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** Deletes everything that a test may leave in a cluster. */
public final class ClusterWipe {
  private static final String KEPT =
      "metadata.indices.*.state,metadata.templates.*.order,metadata.index_template"
          + ",metadata.component_template,metadata.data_stream,metadata.ingest"
          + ",metadata.search_pipeline,metadata.repositories.*.type,metadata.stored_scripts";

  private final YamlRestClient caller;

  ClusterWipe(YamlRestClient caller) {
    this.caller = caller;
  }

  /**
   * Deletes everything that a test may have left in a cluster.
   *
   * @param node the REST endpoint of one of its nodes
   */
  public static void wipe(URI node) {
    try (YamlRestClient caller = new YamlRestClient(node)) {
      new ClusterWipe(caller).run();
    }
  }

  void run() {
    Object found = get("/_cluster/state/metadata?filter_path=" + KEPT);
    Map<?, ?> left = child(found, "metadata");
    keys(child(left, "repositories")).forEach(this::repository);
    if (!keys(child(left, "data_stream", "data_stream")).isEmpty()) {
      delete("/_data_stream/*");
    }
    if (!keys(child(left, "indices")).isEmpty()) {
      delete("/*,-.ds-*?expand_wildcards=open,closed,hidden");
    }
    each(child(left, "index_template", "index_template"), "/_index_template/");
    each(child(left, "component_template", "component_template"), "/_component_template/");
    each(child(left, "templates"), "/_template/");
    each(child(left, "stored_scripts"), "/_scripts/");
    ids(left, "ingest").forEach(id -> delete("/_ingest/pipeline/" + id));
    ids(left, "search_pipeline").forEach(id -> delete("/_search/pipeline/" + id));
    Object settings = get("/_cluster/settings?flat_settings");
    if (!child(settings, "persistent").isEmpty() || !child(settings, "transient").isEmpty()) {
      String reset = "{\"persistent\":{\"*\":null},\"transient\":{\"*\":null}}";
      caller.call("PUT", "/_cluster/settings", Map.of(), Map.of(), reset);
    }
  }

  private void repository(String name) {
    if (child(get("/_snapshot/" + name + "/_all")).get("snapshots") instanceof List<?> snapshots) {
      for (Object snapshot : snapshots) {
        delete("/_snapshot/" + name + "/" + child(snapshot).get("snapshot"));
      }
    }
    delete("/_snapshot/" + name);
  }

  private void each(Map<?, ?> named, String path) {
    keys(named).forEach(name -> delete(path + YamlRestClient.encode(name)));
  }

  private static List<String> ids(Map<?, ?> metadata, String custom) {
    return child(metadata, custom).get("pipeline") instanceof List<?> pipelines
        ? pipelines.stream().map(pipeline -> String.valueOf(child(pipeline).get("id"))).toList()
        : List.of();
  }

  private static List<String> keys(Map<?, ?> map) {
    return map.keySet().stream().map(String::valueOf).toList();
  }

  private static Map<?, ?> child(Object value, String... path) {
    Object here = value;
    for (String step : path) {
      here = here instanceof Map<?, ?> map && map.get(step) != null ? map.get(step) : Map.of();
    }
    return here instanceof Map<?, ?> map ? map : Map.of();
  }

  private Object get(String path) {
    YamlRestClient.Answer answer = caller.call("GET", path, Map.of(), Map.of(), null);
    return answer.status() == 200 && answer.body() != null ? answer.body() : Map.of();
  }

  private void delete(String path) {
    caller.call("DELETE", path, Map.of(), Map.of(), null);
  }
}
