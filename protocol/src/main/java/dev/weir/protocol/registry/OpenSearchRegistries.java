package dev.weir.protocol.registry;

import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.cluster.ClusterModule;
import org.opensearch.common.network.NetworkModule;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.index.mapper.MapperExtrasModulePlugin;
import org.opensearch.indices.IndicesModule;
import org.opensearch.join.ParentJoinModulePlugin;
import org.opensearch.percolator.PercolatorModulePlugin;
import org.opensearch.plugins.MapperPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.SearchPlugin;
import org.opensearch.search.SearchModule;
import org.opensearch.search.aggregations.matrix.MatrixAggregationModulePlugin;

/**
 * The registries and services of OpenSearch that a coordinator needs, with the modules of every
 * distribution, except scripting languages: the gateway runs no script. They take about a second to
 * build; immutable afterwards and safe on any thread.
 *
 * @param settings the settings of the registries
 * @param search the search module
 * @param writeables reads named payloads from the wire
 * @param xContents reads named objects in request bodies
 * @param clusterSettings the built-in cluster settings
 */
public record OpenSearchRegistries(
    Settings settings,
    SearchModule search,
    NamedWriteableRegistry writeables,
    NamedXContentRegistry xContents,
    ClusterSettings clusterSettings) {

  /** The version of the OpenSearch classes, for example 3.8.0. */
  public static final String VERSION = Version.CURRENT.toString();

  public static OpenSearchRegistries create() {
    Settings settings =
        Settings.builder()
            .put("node.name", "weir")
            .put("path.home", System.getProperty("java.io.tmpdir"))
            .build();
    List<Plugin> plugins =
        List.of(
            new ParentJoinModulePlugin(),
            new PercolatorModulePlugin(),
            new MatrixAggregationModulePlugin(),
            new MapperExtrasModulePlugin(),
            new CommonAnalysisModulePlugin());
    SearchModule search = new SearchModule(settings, only(plugins, SearchPlugin.class));
    IndicesModule indices = new IndicesModule(only(plugins, MapperPlugin.class));
    NamedWriteableRegistry writeables =
        new NamedWriteableRegistry(
            Stream.of(
                    NetworkModule.getNamedWriteables().stream(),
                    indices.getNamedWriteables().stream(),
                    search.getNamedWriteables().stream(),
                    plugins.stream().flatMap(plugin -> plugin.getNamedWriteables().stream()),
                    ClusterModule.getNamedWriteables().stream())
                .flatMap(entries -> entries)
                .toList());
    NamedXContentRegistry xContents =
        new NamedXContentRegistry(
            Stream.of(
                    NetworkModule.getNamedXContents().stream(),
                    IndicesModule.getNamedXContents().stream(),
                    search.getNamedXContents().stream(),
                    plugins.stream().flatMap(plugin -> plugin.getNamedXContent().stream()),
                    ClusterModule.getNamedXWriteables().stream())
                .flatMap(entries -> entries)
                .toList());
    ClusterSettings clusterSettings =
        new ClusterSettings(settings, new HashSet<>(ClusterSettings.BUILT_IN_CLUSTER_SETTINGS));
    return new OpenSearchRegistries(settings, search, writeables, xContents, clusterSettings);
  }

  private static <T> List<T> only(List<Plugin> plugins, Class<T> type) {
    return plugins.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
