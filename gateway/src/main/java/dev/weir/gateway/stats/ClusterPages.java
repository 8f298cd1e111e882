package dev.weir.gateway.stats;

import dev.weir.observe.admin.AdminPage;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.ParameterizedAdminPage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Combines the admin pages of the clusters: all clusters have the same paths, and the parameter
 * {@code cluster} selects one; the first one by default. First each cluster adds its pages, then
 * {@link #registerIn} registers the combined ones. For one thread.
 */
final class ClusterPages {

  private final List<String> clusters;
  private final Map<String, Map<String, ParameterizedAdminPage>> readOnly = new LinkedHashMap<>();
  private final Map<String, Map<String, ParameterizedAdminPage>> changing = new LinkedHashMap<>();

  /**
   * Creates it without pages.
   *
   * @param clusters the names of all clusters, one at least
   */
  ClusterPages(List<String> clusters) {
    this.clusters = List.copyOf(clusters);
  }

  /** The registry of one cluster. Every cluster must add the same paths. */
  AdminPageRegistry forCluster(String cluster) {
    return new OneCluster(cluster);
  }

  /** Registers the combined pages. */
  void registerIn(AdminPageRegistry site) {
    readOnly.forEach((path, pages) -> site.getWithQuery(path, selectCluster(pages)));
    changing.forEach((path, pages) ->
        site.postWithQuery(
            path, readOnly.containsKey(path) ? selectCluster(pages) : requireCluster(pages)));
  }

  /**
   * A change of one cluster needs its name, if there are several: the first may be the wrong one.
   */
  private ParameterizedAdminPage requireCluster(Map<String, ParameterizedAdminPage> pages) {
    ParameterizedAdminPage selected = selectCluster(pages);
    return query ->
        clusters.size() > 1 && !query.containsKey("cluster")
            ? AdminErrors.unknownCluster("", clusters)
            : selected.render(query);
  }

  private ParameterizedAdminPage selectCluster(Map<String, ParameterizedAdminPage> pages) {
    return query -> {
      String name = query.getOrDefault("cluster", clusters.getFirst());
      ParameterizedAdminPage page = pages.get(name);
      return page == null ? AdminErrors.unknownCluster(name, clusters) : page.render(query);
    };
  }

  private final class OneCluster implements AdminPageRegistry {
    private final String cluster;

    OneCluster(String cluster) {
      this.cluster = cluster;
    }

    @Override
    public AdminPageRegistry get(String path, AdminPage page) {
      return getWithQuery(path, query -> page.render());
    }

    @Override
    public AdminPageRegistry getWithQuery(String path, ParameterizedAdminPage page) {
      return add(readOnly, path, page);
    }

    @Override
    public AdminPageRegistry post(String path, AdminPage page) {
      return postWithQuery(path, query -> page.render());
    }

    @Override
    public AdminPageRegistry postWithQuery(String path, ParameterizedAdminPage page) {
      return add(changing, path, page);
    }

    private AdminPageRegistry add(
        Map<String, Map<String, ParameterizedAdminPage>> pages,
        String path,
        ParameterizedAdminPage page) {
      pages.computeIfAbsent(path, any -> new LinkedHashMap<>()).put(cluster, page);
      return this;
    }
  }
}
